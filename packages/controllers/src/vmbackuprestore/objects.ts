import { ControllerRevision, type Persisted, type UnknownObject } from '@vireo/api';
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

/** The name of the copy of an object that a new VM gets. */
const copyName = ({ spec, metadata }: Restore, name: string): string =>
  shorten(`${spec.target.name}-${name}-${metadata.uid.slice(0, 8)}`);

/**
 * The name of the object that has what was backed up; undefined where another one has taken its name and the VM is to
 * use that. The contents of one that is there are never changed: others may use it.
 */
export async function restoredObject(
  client: Client,
  objects: BackupObjects,
  kept: KeptObject,
  restore: Restore,
): Promise<string | undefined> {
  const { namespace } = restore.metadata;
  const fields = keptFields(objects, kept);
  const create = (name: string) => {
    const annotations = { [LAST_RESTORE]: restoreMark(restore) };
    const draft: Draft<UnknownObject> = { ...fields, metadata: { name, namespace, annotations } };
    return client.of<UnknownObject>(objects.kind).createOrGet(draft);
  };
  const { object, wasCreated } = await create(kept.name);
  const isSame = wasCreated || hasSameContents(objects, object, fields);
  if (!isSame && restore.spec.newVM && objects.isCopied) {
    const copy = copyName(restore, kept.name);
    await create(copy);
    return copy;
  }
  if (!wasCreated) await keep(client, objects, object, restore);
  return isSame ? kept.name : undefined;
}

const hasSameContents = ({ contents }: BackupObjects, a: JsonObject, b: JsonObject): boolean =>
  contents.every((field) => deepEqual(a[field] ?? {}, b[field] ?? {}));

/** What another restore has made is not undone with that one any more. */
async function keep(
  client: Client,
  { kind }: BackupObjects,
  object: Persisted<UnknownObject>,
  restore: Restore,
): Promise<void> {
  if (object.metadata.annotations?.[LAST_RESTORE] === undefined || isMadeBy(restore, object)) return;
  await client
    .of<UnknownObject>(kind)
    .patchIfUnchanged(object, { metadata: { annotations: { [LAST_RESTORE]: null } } });
}

const isMadeBy = (restore: Restore, { metadata }: Persisted): boolean =>
  metadata.annotations?.[LAST_RESTORE] === restoreMark(restore);

/** What a restore has made of objects with these names, and the copies among that, which are of use to its VM alone. */
export async function madeObjects(
  client: Client,
  { kind }: BackupObjects,
  names: readonly string[],
  restore: Restore,
): Promise<{ readonly all: Persisted<UnknownObject>[]; readonly copies: Persisted<UnknownObject>[] }> {
  const { namespace } = restore.metadata;
  const copyNames = new Set(names.map((name) => copyName(restore, name)));
  const found = await Promise.all(
    [...names, ...copyNames].map((name) => client.of<UnknownObject>(kind).find(name, { namespace })),
  );
  const all = found.filter((each) => each !== undefined).filter((each) => isMadeBy(restore, each));
  return { all, copies: all.filter(({ metadata }) => copyNames.has(metadata.name)) };
}

/** The revisions of types that a restore has made. */
export async function madeRevisions(client: Client, restore: Restore): Promise<Persisted<ControllerRevision>[]> {
  const { namespace } = restore.metadata;
  const { items } = await client.of(ControllerRevision).list({ namespace });
  return items.filter((each) => isMadeBy(restore, each));
}
