import type { UnknownObject } from '@vireo/api';
import { deepEqual, type JsonObject } from '@vireo/api/json.ts';
import type { BackupObjects } from '@vireo/api/kinds/harvester/backupObjects.ts';
import type { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import type { Client, Draft } from '@vireo/kube';
import { type KeptObject, keptFields } from '../vmbackup/document.ts';
import { LAST_RESTORE, type Restore, restoreMark, shorten } from './plan.ts';

/** What of a backup its VM names: whoever changes what is at the target adds nothing else to a namespace. */
export function namedObjects(
  objects: BackupObjects,
  kept: readonly KeptObject[],
  { metadata, status }: HarvesterBackup,
): KeptObject[] {
  const template = status?.source?.spec?.template;
  const names = new Set(template && objects.namesIn(template, metadata.namespace ?? ''));
  return kept.filter(({ name }) => names.has(name));
}

/**
 * The name of the object that has what was backed up; undefined where another one has taken its name and the VM is to
 * use that. One that is there is never changed: others may use it.
 */
export async function restoredObject(
  client: Client,
  objects: BackupObjects,
  kept: KeptObject,
  restore: Restore,
): Promise<string | undefined> {
  const { namespace, uid } = restore.metadata;
  const fields = keptFields(objects, kept);
  const create = (name: string) => {
    const annotations = { [LAST_RESTORE]: restoreMark(restore) };
    const draft: Draft<UnknownObject> = { ...fields, metadata: { name, namespace, annotations } };
    return client.of<UnknownObject>(objects.kind).createOrGet(draft);
  };
  const { object, wasCreated } = await create(kept.name);
  if (wasCreated || hasSameContents(objects, object, fields)) return kept.name;
  if (!restore.spec.newVM || !objects.isCopied) return undefined;
  const copy = shorten(`${restore.spec.target.name}-${kept.name}-${uid.slice(0, 8)}`);
  await create(copy);
  return copy;
}

const hasSameContents = ({ contents }: BackupObjects, a: JsonObject, b: JsonObject): boolean =>
  contents.every((field) => deepEqual(a[field] ?? {}, b[field] ?? {}));
