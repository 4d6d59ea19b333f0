import type { UnknownObject } from '@vireo/api';
import type { AdmissionRequest } from '../admission/admission.ts';
import { AdmissionChain } from '../admission/chain.ts';
import type { VerbContext } from '../core.ts';
import { sentOptions, subjectOf } from './admissionSubject.ts';
import { withWarnings } from './withWarnings.ts';

/** What a client sends to a subresource that has a kind of its own, such as an Eviction. */
export interface Action {
  readonly kind: NonNullable<AdmissionRequest['objectKind']>;
  /** A draft, which admission may change. */
  readonly object: UnknownObject;
  readonly dryRun: boolean;
}

const NOTHING_LEFT = new AdmissionChain();

/**
 * Asks admission about an action, as about a creation, and then does it. What `act` writes with its context is not
 * asked about again.
 */
export const admitAction = <T>(
  context: VerbContext,
  action: Action,
  warnings: string[],
  act: (context: VerbContext) => Promise<T>,
): Promise<T> => withWarnings(warnings, () => admitAndAct(context, action, warnings, act));

async function admitAndAct<T>(
  context: VerbContext,
  { kind: objectKind, object, dryRun }: Action,
  warnings: string[],
  act: (context: VerbContext) => Promise<T>,
): Promise<T> {
  const { core, info, request } = context;
  const { namespace, name } = info;
  if (namespace && !object.metadata.namespace) object.metadata = { ...object.metadata, namespace };
  const admission = core.admission.begin({
    ...subjectOf(context),
    operation: 'CREATE',
    namespace,
    name,
    objectKind,
    object,
    dryRun,
    options: sentOptions(request.query),
  });
  let isDone = false;
  try {
    await admission.mutate();
    await admission.validate();
    const result = await act({ ...context, core: { ...core, admission: NOTHING_LEFT } });
    isDone = !dryRun;
    return result;
  } finally {
    admission.settle(isDone);
    warnings.push(...admission.warnings);
  }
}
