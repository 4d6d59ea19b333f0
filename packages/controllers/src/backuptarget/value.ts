import { createHash } from 'node:crypto';
import { isObject } from '@vireo/api/json.ts';
import type { BackupTarget } from '@vireo/api/kinds/harvester/backupTarget.ts';
import type { Setting } from '@vireo/api/kinds/harvester/setting.ts';

/** On the Setting: which target was accepted, and what it is known by. */
export const ACCEPTED_TARGET = 'vireo.io/accepted-backup-target';
/** What of a value nobody may read who reads the Setting. */
const SECRET_FIELDS = ['accessKeyId', 'secretAccessKey'] as const;

/** A value without the keys that it has; undefined where it has none. */
export function withoutKeys(value: string): string | undefined {
  const fields: unknown = JSON.parse(value);
  if (!isObject(fields) || !SECRET_FIELDS.some((name) => fields[name])) return undefined;
  return JSON.stringify({ ...fields, ...Object.fromEntries(SECRET_FIELDS.map((name) => [name, ''])) });
}

/** Where kubectl leaves what it has applied: the whole object, with the keys that were in it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** A patch to a value without keys. What kubectl has applied goes with the old one. */
export const hidingPatch = (value: string) => ({ value, metadata: { annotations: { [LAST_APPLIED]: null } } });

/** Whether what kubectl has applied has keys in it that the value has no more. */
export function showsAppliedKeys({ metadata }: Setting): boolean {
  const applied = metadata.annotations?.[LAST_APPLIED];
  if (!applied) return false;
  try {
    const { value } = JSON.parse(applied) as Setting;
    return typeof value === 'string' && value !== '' && withoutKeys(value) !== undefined;
  } catch {
    // Nobody can tell what is in it.
    return true;
  }
}

/** The id of a target that was accepted before; undefined where another was. */
export function acceptedId({ metadata }: Setting, target: BackupTarget): string | undefined {
  const [fingerprint, id] = (metadata.annotations?.[ACCEPTED_TARGET] ?? '').split(' ');
  return fingerprint === fingerprintOf(target) ? id : undefined;
}

export const acceptedMark = (target: BackupTarget, id: string): Record<string, string> => ({
  [ACCEPTED_TARGET]: `${fingerprintOf(target)} ${id}`,
});

/** The same for as long as a target is the same place. */
function fingerprintOf({ id: _, ...place }: BackupTarget): string {
  const fields = Object.entries(place).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 16);
}
