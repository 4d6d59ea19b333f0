import { type FieldError, field } from '@vireo/api';
import { parseUrl, UrlError } from '../../cel/libraries/parseUrl.ts';
import type { Crd, CrdCondition } from '../types.ts';

const APPROVED = 'api-approved.kubernetes.io';
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

type State = 'Invalid' | 'Approved' | 'Unapproved' | 'Missing';
type Annotated = Pick<Crd, 'metadata'>;

const isProtected = (group: string): boolean => /(^|\.)(k8s|kubernetes)\.io$/.test(group);

/** What the annotation says of who approved the API, and in words. */
function approval({ metadata }: Annotated): { state: State; reason: string } {
  const text = metadata.annotations?.[APPROVED] ?? '';
  const must = `protected groups must have approval annotation "${APPROVED}"`;
  if (text === '') return { state: 'Missing', reason: `${must}, ${SEE}` };
  if (text.startsWith('unapproved')) return { state: 'Unapproved', reason: `not approved: ${JSON.stringify(text)}` };
  if (isUrl(text)) return { state: 'Approved', reason: `approved in ${text}` };
  return { state: 'Invalid', reason: `${must} with either a URL or a reason starting with "unapproved", ${SEE}` };
}

function isUrl(text: string): boolean {
  try {
    const { host, scheme } = parseUrl(text);
    return host !== '' && scheme !== '';
  } catch (error) {
    if (error instanceof UrlError) return false;
    throw error;
  }
}

/** The groups of Kubernetes itself need a note of who approved the API; what was there before may stay. */
export function approvalErrors(crd: Annotated, group: string, old: Annotated | undefined): FieldError[] {
  if (!isProtected(group)) return [];
  const { state, reason } = approval(crd);
  if (old && approval(old).state === state) return [];
  const at = `metadata.annotations[${APPROVED}]`;
  if (state === 'Missing') return [field.required(at, reason)];
  return state === 'Invalid' ? [field.invalid(at, crd.metadata.annotations?.[APPROVED] ?? '', reason)] : [];
}

/** What the status of a definition says of its approval; undefined where none is needed. */
export function approvalCondition(crd: Crd): CrdCondition | undefined {
  if (!isProtected(crd.spec.group)) return undefined;
  const { state, reason } = approval(crd);
  return {
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: state === 'Approved' ? 'True' : 'False',
    reason: `${state}Annotation`,
    message: reason,
  };
}
