import { isConditionTrue, withCondition } from '@vireo/api';
import type { Crd, CrdCondition, CrdNames, CrdStatus } from './types.ts';
import { approvalCondition } from './validation/approval.ts';
import { caBundleError } from './validation/caBundle.ts';

/** Names already taken in the group by others. */
export interface TakenNames {
  /** `plural`, `singular` and short names share one space; kinds and list kinds another. */
  resources: ReadonlySet<string>;
  kinds: ReadonlySet<string>;
}

/** What the status of a definition should say, given the names that others in its group hold. */
export function crdStatus(crd: Crd, taken: TakenNames, now: Date): CrdStatus {
  const { names } = crd.spec;
  const { accepted, conflict } = acceptNames(names, crd.status?.acceptedNames, taken);
  const wasEstablished = isConditionTrue(crd, 'Established');
  const approval = approvalCondition(crd);
  const named = withCondition(crd.status?.conditions, conflict ?? NO_CONFLICTS, now);
  const conditions = approval ? withCondition(named, approval, now) : named;
  return {
    // Once established, a definition goes on being served under the names it has.
    conditions: wasEstablished ? conditions : withCondition(conditions, establishment(crd, conflict), now),
    acceptedNames: accepted,
    storedVersions: crd.status?.storedVersions ?? [],
  };
}

/** Whether a definition that is not served yet can be. */
function establishment({ spec }: Crd, conflict: CrdCondition | undefined): CrdCondition {
  if (conflict) return NOT_ESTABLISHED;
  const { caBundle } = spec.conversion?.webhook?.clientConfig ?? {};
  return caBundle && caBundleError(caBundle) !== undefined ? INVALID_CA_BUNDLE : ESTABLISHED;
}

const NO_CONFLICTS: CrdCondition = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'NoConflicts',
  message: 'no conflicts found',
};
const ESTABLISHED: CrdCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
const NOT_ESTABLISHED: CrdCondition = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};

const INVALID_CA_BUNDLE: CrdCondition = {
  type: 'Established',
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
};

/** Each name is accepted by itself; one that is taken leaves the definition the name it had. */
function acceptNames(
  wanted: CrdNames,
  current: CrdNames | undefined,
  taken: TakenNames,
): { accepted: CrdNames; conflict: CrdCondition | undefined } {
  const accepted: CrdNames = {
    plural: current?.plural ?? '',
    kind: current?.kind ?? '',
    ...(wanted.categories && { categories: wanted.categories }),
  };
  let conflict: CrdCondition | undefined;
  const accept = (
    field: 'plural' | 'singular' | 'shortNames' | 'kind' | 'listKind',
    used: ReadonlySet<string>,
  ): void => {
    const clash = [wanted[field] ?? []]
      .flat()
      .find((name) => used.has(name) && ![current?.[field]].flat().includes(name));
    const value = clash === undefined ? wanted[field] : current?.[field];
    if (value !== undefined) Object.assign(accepted, { [field]: value });
    if (clash !== undefined)
      conflict = {
        type: 'NamesAccepted',
        status: 'False',
        reason: `${field[0]?.toUpperCase()}${field.slice(1)}Conflict`,
        message: `${JSON.stringify(clash)} is already in use`,
      };
  };
  accept('plural', taken.resources);
  accept('singular', taken.resources);
  accept('shortNames', taken.resources);
  accept('kind', taken.kinds);
  accept('listKind', taken.kinds);
  return { accepted, conflict };
}
