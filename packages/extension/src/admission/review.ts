import {
  ApiError,
  badRequest,
  type FieldError,
  internalError,
  type Kind,
  type KubeObject,
  pathNotFound,
  type Status,
  type UnknownObject,
} from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { PluginHookError, summary } from '@vireo/hypervisor';
import { type ApiRequest, type ApiResponse, objectResponse, type UserInfo } from '@vireo/kube';
import { parseBody } from '../actions/body.ts';
import { typeMismatch } from '../schemaTypes.ts';
import { jsonPatch } from './jsonPatch.ts';
import { withTextQuantities } from './quantities.ts';
import { ratchetedErrors } from './ratchet.ts';
import type { Admission, AdmissionContext, AdmissionRule, MutatingRule, Operation, ValidatingRule } from './rule.ts';

interface ReviewRequest {
  readonly uid: string;
  readonly operation: Operation;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  /** Empty while a generated name is still to come. */
  readonly name?: string;
  readonly namespace?: string;
  readonly userInfo: Partial<UserInfo>;
  readonly object?: UnknownObject | null;
  readonly oldObject?: UnknownObject | null;
  readonly dryRun?: boolean;
  readonly options?: {
    readonly gracePeriodSeconds?: number | null;
    readonly propagationPolicy?: string;
    readonly orphanDependents?: boolean | null;
  } | null;
}

interface ReviewResponse {
  readonly allowed: boolean;
  readonly status?: Partial<Status>;
  readonly patchType?: 'JSONPatch';
  readonly patch?: string;
  readonly warnings?: readonly string[];
}

/** Answers an AdmissionReview that came to the path of one of the rules. */
export async function review(
  rules: readonly AdmissionRule[],
  context: AdmissionContext,
  request: ApiRequest,
): Promise<ApiResponse> {
  const rule = rules.find(({ path }) => path === request.path);
  if (!rule) throw pathNotFound();
  const asked = readReview(parseBody(await request.body()));
  const response = await respond(rule, context, asked);
  return objectResponse({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: asked.uid, ...response },
  });
}

function readReview(value: unknown): ReviewRequest {
  const request = isObject(value) ? value.request : undefined;
  if (!isObject(request) || typeof request.uid !== 'string' || !isObject(request.kind))
    throw badRequest('the body is not an AdmissionReview with a request');
  return request as unknown as ReviewRequest;
}

async function respond(rule: AdmissionRule, context: AdmissionContext, asked: ReviewRequest): Promise<ReviewResponse> {
  const { group, kind } = asked.kind;
  const isKind = (each: Pick<Kind, 'group' | 'kind'>): boolean => each.group === group && each.kind === kind;
  const about = rule.kinds.find(isKind);
  const isAsked = rule.subresource ? isKind(rule.subresource.kind) : about !== undefined;
  if (!isAsked) return deny(badRequest(`${rule.webhook} does not handle ${kind} of group ${group}`).status);
  try {
    if (rule.type === 'validating') return await validate(rule, context, asked);
    return await mutate(rule, context, asked, about?.schema);
  } catch (error) {
    if (error instanceof ApiError) return deny(error.status);
    if (error instanceof PluginHookError) return deny(internalError(error.message).status);
    throw error;
  }
}

async function mutate(
  rule: MutatingRule<KubeObject>,
  context: AdmissionContext,
  asked: ReviewRequest,
  schema: Kind['schema'] | undefined,
): Promise<ReviewResponse> {
  const sent = admissionOf(asked);
  // Nothing has checked the object yet. One of the wrong shape is left as it is: the server's own refusal names the field.
  if (!schema || typeMismatch('', sent.object, schema)) return { allowed: true };
  const admission = { ...sent, object: withTextQuantities(sent.object, schema) };
  const patch = jsonPatch(sent.object, await rule.mutate(admission, context));
  if (patch.length === 0) return { allowed: true };
  return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
}

async function validate(
  rule: ValidatingRule<KubeObject>,
  context: AdmissionContext,
  asked: ReviewRequest,
): Promise<ReviewResponse> {
  const admission = admissionOf(asked);
  const { errors: all, warnings = [] } = await rule.validate(admission, context);
  const errors = await ratchetedErrors(rule, admission, context, all);
  const response = errors.length === 0 ? { allowed: true } : deny(refusal(errors, asked));
  return { ...response, ...(warnings.length > 0 && { warnings }) };
}

function admissionOf(asked: ReviewRequest): Admission {
  const { operation, name, namespace, object, oldObject, userInfo, dryRun, options } = asked;
  const about = object ?? oldObject;
  if (!about) throw badRequest(`the AdmissionReview for ${operation} has no object`);
  return {
    operation,
    object: about,
    ...(oldObject && { oldObject }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    user: { ...userInfo, username: userInfo?.username ?? '', groups: userInfo?.groups ?? [] },
    isDryRun: dryRun === true,
    ...(operation === 'DELETE' && {
      deletion: {
        gracePeriodSeconds: options?.gracePeriodSeconds ?? undefined,
        isOrphaning: options?.propagationPolicy === 'Orphan' || options?.orphanDependents === true,
      },
    }),
  };
}

const deny = (status: Partial<Status>): ReviewResponse => ({ allowed: false, status });

/** What could not be checked is worth another try, unless something is wrong for certain. */
const refusal = (errors: readonly FieldError[], asked: ReviewRequest): Partial<Status> =>
  errors.every(({ type }) => type === 'InternalError')
    ? internalError(summary(errors)).status
    : invalidStatus(errors, asked);

/** What is wrong, as KubeVirt tells it: the messages in a row, and one cause each. */
const invalidStatus = (errors: readonly FieldError[], { name, kind }: ReviewRequest): Partial<Status> => ({
  message: summary(errors),
  reason: 'Invalid',
  code: 422,
  details: {
    ...(name && { name }),
    group: kind.group,
    kind: kind.kind,
    // Whoever shows a cause puts its field before it.
    causes: errors.map(({ type, field, text }) => ({
      reason: type,
      message: text.startsWith(`${field}: `) ? text.slice(field.length + 2) : text,
      field,
    })),
  },
});
