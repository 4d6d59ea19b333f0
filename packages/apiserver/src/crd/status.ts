import { withCondition } from '@vireo/api';
import type { Crd, CrdCondition, CrdNames, CrdStatus } from './types.ts';

/** Names already taken in the group, by whom. */
export interface TakenNames {
  /** `plural`, `singular` and short names share one space; kinds and list kinds another. */
  resources: ReadonlySet<string>;
  kinds: ReadonlySet<string>;
}

/** What the status of a definition should say, given the names that others in its group hold. */
export function crdStatus(crd: Crd, taken: TakenNames, now: Date): CrdStatus {
  const { names, versions } = crd.spec;
  const conflicts = nameConflicts(names, taken);
  const accepted = conflicts.length === 0;
  const storage = versions.find((version) => version.storage)?.name;
  const stored = crd.status?.storedVersions ?? [];
  let conditions: CrdCondition[] = [...(crd.status?.conditions ?? [])];
  const set = (condition: CrdCondition): void => {
    conditions = withCondition(conditions, condition, now);
  };
  set({
    type: 'NamesAccepted',
    status: accepted ? 'True' : 'False',
    reason: accepted ? 'NoConflicts' : 'NamesConflict',
    message: accepted ? 'no conflicts found' : conflicts.join(', '),
  });
  const wasEstablished = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  if (accepted)
    set({
      type: 'Established',
      status: 'True',
      reason: 'InitialNamesAccepted',
      message: 'the initial names have been accepted',
    });
  else if (!wasEstablished)
    set({
      type: 'Established',
      status: 'False',
      reason: 'NotAccepted',
      message: 'not all names are accepted',
    });
  return {
    conditions,
    acceptedNames: accepted ? names : (crd.status?.acceptedNames ?? { plural: '', kind: '' }),
    storedVersions: storage && !stored.includes(storage) ? [...stored, storage] : stored,
  };
}

function nameConflicts(names: CrdNames, taken: TakenNames): string[] {
  const resources: [string, string | undefined][] = [
    ['plural', names.plural],
    ['singular', names.singular],
    ...(names.shortNames ?? []).map((name): [string, string] => ['shortName', name]),
  ];
  const kinds: [string, string | undefined][] = [
    ['kind', names.kind],
    ['listKind', names.listKind],
  ];
  return [
    ...resources.filter(([, name]) => name && taken.resources.has(name)),
    ...kinds.filter(([, name]) => name && taken.kinds.has(name)),
  ].map(([what, name]) => `${what}: ${JSON.stringify(name)} is already in use`);
}
