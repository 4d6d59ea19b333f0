import { type FieldError, fieldError, isDeleting } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { BACKUP_OBJECTS } from '@vireo/api/kinds/harvester/backupObjects.ts';
import { HarvesterBackup, isBackupReady } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import {
  HarvesterRestore,
  isRestoreUnfinished,
  networksMissing,
} from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { needsBackendStorage } from '@vireo/api/kinds/kubevirt/backendStorage.ts';
import { networkDefinitionsOf } from '@vireo/api/kinds/kubevirt/namedByVmi.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { type Client, parseKey, type UserInfo } from '@vireo/kube';
import { requireAccess } from '../authorize.ts';
import { isComponent } from '../identity.ts';
import { DISK_SOURCE, mayReadDisks } from './dataVolume.ts';
import { nameErrors, referenceErrors } from './references.ts';
import { ALLOWED, type ValidatingRule } from './rule.ts';
import { immutable } from './snapshot.ts';

/** Restores of Harvester's backups: of backups that whoever asks may see and copy, to VMs that can be made or replaced. */
export const backupRestoreValidation: ValidatingRule<HarvesterRestore> = {
  type: 'validating',
  webhook: 'virtualmachinerestores-validator.harvesterhci.io',
  path: '/harvester-virtualmachinerestores-validate',
  kinds: [HarvesterRestore],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object, oldObject, user }, { client }) {
    if (oldObject) return deepEqual(object.spec, oldObject.spec) ? ALLOWED : { errors: [immutable] };
    const { target, virtualMachineBackupName } = object.spec;
    const errors = [
      ...referenceErrors('spec.target', target, [VirtualMachine]),
      ...nameErrors('spec.virtualMachineBackupName', virtualMachineBackupName),
    ];
    if (errors.length > 0) return { errors };
    await expectAccess(object, user, client);
    const backup = await backupOf(object, client);
    const unusable = backupErrors(object, backup);
    if (unusable.length > 0 || !backup) return { errors: unusable };
    await expectObjectAccess(object, backup, user, client);
    const wrong = [...(await targetErrors(object, backup, client)), ...(await concurrentErrors(object, client))];
    return wrong.length > 0
      ? { errors: wrong }
      : { errors: [], warnings: await networkWarnings(object, backup, client) };
  },
};

const namespaceOf = ({ metadata, spec }: HarvesterRestore): string =>
  spec.virtualMachineBackupNamespace || (metadata.namespace ?? '');

/** A restore takes things out of a namespace. */
const isForeign = (restore: HarvesterRestore, user: UserInfo): boolean =>
  namespaceOf(restore) !== restore.metadata.namespace && !isComponent(user);

/** A backup has the data of a namespace: nobody gets it elsewhere who may not see it there. */
async function expectAccess(restore: HarvesterRestore, user: UserInfo, client: Client): Promise<void> {
  if (!isForeign(restore, user)) return;
  const namespace = namespaceOf(restore);
  const { group, plural: resource } = HarvesterBackup;
  const name = restore.spec.virtualMachineBackupName;
  await requireAccess(client, user, { verb: 'get', group, resource, namespace, name });
  // The disks come with it, as in a clone.
  if (!(await mayReadDisks(client, user, namespace)))
    await requireAccess(client, user, { verb: 'create', ...DISK_SOURCE, namespace });
}

/** Who may look at backups may not look at all that is in them: the role `view` knows no Secrets. */
async function expectObjectAccess(
  restore: HarvesterRestore,
  { status }: HarvesterBackup,
  user: UserInfo,
  client: Client,
): Promise<void> {
  const template = status?.source?.spec?.template;
  if (!template || !isForeign(restore, user)) return;
  const namespace = namespaceOf(restore);
  for (const { kind, namesIn } of Object.values(BACKUP_OBJECTS)) {
    const { group, plural: resource } = kind;
    for (const name of namesIn(template, namespace))
      await requireAccess(client, user, { verb: 'get', group, resource, namespace, name });
  }
}

/** Networks belong to the cluster that a VM is restored to. The VM can be made without them, and not started. */
async function networkWarnings(
  { metadata: { namespace = '' }, spec: { target } }: HarvesterRestore,
  { status }: HarvesterBackup,
  client: Client,
): Promise<string[]> {
  const missing: string[] = [];
  for (const key of networkDefinitionsOf(status?.source?.spec?.template.spec ?? {}, namespace)) {
    const { name, namespace: of } = parseKey(key);
    if (!(await client.of(NetworkAttachmentDefinition).find(name, { namespace: of }))) missing.push(key);
  }
  return missing.length > 0 ? [networksMissing(target.name, missing)] : [];
}

const backupOf = (restore: HarvesterRestore, client: Client) =>
  client.of(HarvesterBackup).find(restore.spec.virtualMachineBackupName, { namespace: namespaceOf(restore) });

function backupErrors(restore: HarvesterRestore, backup: HarvesterBackup | undefined): FieldError[] {
  const path = 'spec.virtualMachineBackupName';
  const about = `VirtualMachineBackup ${namespaceOf(restore)}/${restore.spec.virtualMachineBackupName}`;
  if (!backup) return [fieldError(path, `${about} does not exist`, 'FieldValueNotFound')];
  if (isDeleting(backup)) return [fieldError(path, `${about} is being deleted`)];
  if (!isBackupReady(backup))
    return [fieldError(path, `${about} is not ready to use; wait until its status.readyToUse is true`)];
  if (backup.spec.type === 'snapshot' && namespaceOf(restore) !== restore.metadata.namespace)
    return [
      fieldError(
        'spec.virtualMachineBackupNamespace',
        `${about} is a snapshot, which can only be restored in its own namespace; make one of type backup`,
      ),
    ];
  return [];
}

async function targetErrors(restore: HarvesterRestore, backup: HarvesterBackup, client: Client): Promise<FieldError[]> {
  const { target, newVM = false, keepMacAddress = false } = restore.spec;
  const { namespace } = restore.metadata;
  const at = { namespace };
  const wrong = (what: string) => [
    fieldError('spec.target.name', `VirtualMachine ${JSON.stringify(target.name)} ${what}`),
  ];
  const { source, sourceUID } = backup.status ?? {};
  const vm = await client.of(VirtualMachine).find(target.name, at);
  const isOtherName = source?.metadata?.name !== target.name;
  if (newVM && vm) return wrong('exists already; choose another name, or set newVM to false to replace it');
  if (newVM && isOtherName && needsBackendStorage(source?.spec?.template.spec))
    return wrong('must have the name of the VM that was backed up, which has persistent firmware state (TPM or EFI)');
  if (newVM) return keepMacAddress ? macErrors(backup, client) : [];
  if (!vm || isDeleting(vm)) return wrong('does not exist; set newVM to true to create it');
  // One that was made anew has another uid, and is known by its name: in its own namespace.
  const isSameVm = vm.metadata.uid === sourceUID || (!isOtherName && namespaceOf(restore) === namespace);
  if (!isSameVm) return wrong('is not the VM of the backup');
  if (await client.of(VirtualMachineInstance).find(target.name, at))
    return wrong('must be stopped before it is replaced');
  const { snapshotInProgress, restoreInProgress } = vm.status ?? {};
  if (snapshotInProgress) return wrong(`cannot be replaced until snapshot ${snapshotInProgress} has ended`);
  return restoreInProgress ? wrong(`cannot be replaced until restore ${restoreInProgress} has ended`) : [];
}

/** Two VMs may not have the same MAC addresses. */
async function macErrors({ metadata, status }: HarvesterBackup, client: Client): Promise<FieldError[]> {
  const name = status?.source?.metadata?.name ?? '';
  const source = await client.of(VirtualMachine).find(name, { namespace: metadata.namespace });
  if (!source || source.metadata.uid !== status?.sourceUID) return [];
  const text = `spec.keepMacAddress: VirtualMachine ${JSON.stringify(name)}, which was backed up, still has these addresses`;
  return [fieldError('spec.keepMacAddress', text)];
}

/** One restore of a VM at a time. */
async function concurrentErrors({ metadata, spec }: HarvesterRestore, client: Client): Promise<FieldError[]> {
  const { items } = await client.of(HarvesterRestore).list({ namespace: metadata.namespace });
  const rival = items.find((other) => other.spec.target.name === spec.target.name && isRestoreUnfinished(other));
  if (!rival) return [];
  const text = `VirtualMachineRestore ${JSON.stringify(rival.metadata.name)} of ${spec.target.name} is in progress; wait for it or delete it`;
  return [fieldError('spec.target', text)];
}
