import { badRequest, type FieldError, fieldError, isConditionTrue, isDeleting } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { SCHEDULE_LABEL } from '@vireo/api/kinds/harvester/scheduleVmBackup.ts';
import { BACKUP_TARGET_SETTING, CONFIGURED, Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { FOUND_BACKUP, HarvesterBackup, isOnTarget } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { backupKeyOf, HarvesterRestore, needsBackup } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { isFinalMigration, Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { parseTarget } from '@vireo/backup/target.ts';
import type { Client } from '@vireo/kube';
import { isControllers } from '../identity.ts';
import { referenceErrors } from './references.ts';
import { ALLOWED, type ValidatingRule } from './rule.ts';
import { deadlineErrors, immutable } from './snapshot.ts';
import { expectSnapshotQuota } from './snapshotQuota.ts';

/** With the uid of the VM behind it, a name is part of a path at the target. */
const LONGEST_NAME = 200;

/** Backups of Harvester: of VMs that are there and can be backed up, to a target that can be used. */
export const backupValidation: ValidatingRule<HarvesterBackup> = {
  type: 'validating',
  webhook: 'virtualmachinebackups-validator.harvesterhci.io',
  path: '/harvester-virtualmachinebackups-validate',
  kinds: [HarvesterBackup],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  async validate(admission, { client }) {
    const { operation, object, oldObject, user } = admission;
    if (operation === 'DELETE') {
      await expectUnused(object, client);
      return ALLOWED;
    }
    if (oldObject && !deepEqual(object.spec, oldObject.spec)) return { errors: [immutable] };
    // Those that were found at the target are of VMs that may be nowhere. Those of schedules are as good as those of users.
    if (isControllers(user) && (oldObject || isFound(object))) return ALLOWED;
    if (oldObject) return { errors: markErrors(object, oldObject) };
    const marks = isControllers(user) ? [] : markErrors(object);
    const errors = [...nameErrors(object), ...marks, ...backupSpecErrors('spec', object.spec)];
    if (errors.length > 0) return { errors };
    const { namespace } = object.metadata;
    const vm = await client.of(VirtualMachine).find(object.spec.source.name, { namespace });
    const wrong = [...(await sourceErrors(object, vm, client)), ...(await targetErrors(object, client))];
    if (wrong.length > 0 || !vm) return { errors: wrong };
    // Nothing is held for it: the snapshot that it is made of comes by another name, and is asked about again.
    await expectSnapshotQuota(vm, { ...admission, isDryRun: true }, client);
    return ALLOWED;
  },
};

const nameErrors = ({ metadata: { name = '' } }: HarvesterBackup): FieldError[] =>
  name.length > LONGEST_NAME
    ? [fieldError('metadata.name', `metadata.name must have no more than ${LONGEST_NAME} characters`)]
    : [];

const isFound = ({ metadata }: HarvesterBackup): boolean => metadata.annotations?.[FOUND_BACKUP] !== undefined;

/** What controllers know their own backups by. */
const MARKS = [
  { field: 'annotations', key: FOUND_BACKUP, why: 'is for backups that Vireo finds at the target' },
  { field: 'annotations', key: SCHEDULE_LABEL, why: 'is for backups that a ScheduleVMBackup makes' },
  { field: 'labels', key: SCHEDULE_LABEL, why: 'is for backups that a ScheduleVMBackup makes' },
] as const;

/** Nobody else sets a mark or changes one: a schedule would delete the backup, or one that only says it was found wait for ever. */
const markErrors = ({ metadata }: HarvesterBackup, old?: HarvesterBackup): FieldError[] =>
  MARKS.flatMap(({ field, key, why }) => {
    const value = metadata[field]?.[key];
    const path = `metadata.${field}[${key}]`;
    const isOurs = value === undefined || value === old?.metadata[field]?.[key];
    return isOurs ? [] : [fieldError(path, `${path} ${why}`, 'FieldValueForbidden')];
  });

/** What is wrong with the spec of a backup whatever there is. */
export const backupSpecErrors = (path: string, { source, fsFreezeDeadline }: HarvesterBackup['spec']): FieldError[] => [
  ...referenceErrors(`${path}.source`, source, [VirtualMachine]),
  ...deadlineErrors(`${path}.fsFreezeDeadline`, fsFreezeDeadline),
];

async function sourceErrors(
  { metadata, spec }: HarvesterBackup,
  vm: VirtualMachine | undefined,
  client: Client,
): Promise<FieldError[]> {
  const path = 'spec.source.name';
  const about = `VirtualMachine ${JSON.stringify(spec.source.name)}`;
  const wrong = (what: string) => [fieldError(path, `${about} ${what}`)];
  if (!vm) return [fieldError(path, `${about} does not exist`, 'FieldValueNotFound')];
  if (isDeleting(vm)) return wrong('is being deleted');
  const { items } = await client.of(Migration).list({ namespace: metadata.namespace });
  if (items.some((each) => each.spec.vmiName === spec.source.name && !isFinalMigration(each)))
    return wrong('is being migrated; wait until the migration has ended');
  const { volumes = [], domain } = vm.spec.template.spec ?? {};
  const shared = (domain?.devices.disks ?? []).find(({ shareable }) => shareable);
  if (shared) return wrong(`has the shareable disk ${shared.name}, which others may write to meanwhile`);
  const onClaims = new Set(
    volumes.filter((each) => each.persistentVolumeClaim ?? each.dataVolume).map(({ name }) => name),
  );
  const unable = (vm.status?.volumeSnapshotStatuses ?? []).find(({ name, enabled }) => onClaims.has(name) && !enabled);
  return unable ? wrong(`has volume ${unable.name}, of which no snapshot can be taken: ${unable.reason ?? ''}`) : [];
}

async function targetErrors(backup: HarvesterBackup, client: Client): Promise<FieldError[]> {
  if (!isOnTarget(backup)) return [];
  const why = targetProblem(await client.of(Setting).find(BACKUP_TARGET_SETTING));
  return why === undefined ? [] : [fieldError('spec.type', `no backup can be made: ${why}`)];
}

/** Why nothing can be backed up to the target that is set; undefined where it can. */
export function targetProblem(setting: Setting | undefined): string | undefined {
  if (isConditionTrue(setting, CONFIGURED)) return undefined;
  const said = setting?.status?.conditions?.find(({ type }) => type === CONFIGURED)?.message;
  return said ?? 'no backup target is set';
}

async function expectUnused(backup: HarvesterBackup, client: Client): Promise<void> {
  const key = `${backup.metadata.namespace}/${backup.metadata.name}`;
  const { items } = await client.of(HarvesterRestore).list();
  const user = items.find((each) => backupKeyOf(each) === key && needsBackup(each));
  if (!user) return;
  const { namespace, name } = user.metadata;
  throw badRequest(
    `VirtualMachineBackup ${key} is in use: VirtualMachineRestore ${namespace}/${name} needs it; wait until it has ended, or delete it`,
  );
}

/** A target that nobody can make sense of is refused as it is set. Whether it can be used is found out afterwards. */
export const settingValidation: ValidatingRule<Setting> = {
  type: 'validating',
  webhook: 'settings-validator.harvesterhci.io',
  path: '/harvester-settings-validate',
  kinds: [Setting],
  operations: ['CREATE', 'UPDATE'],
  async validate({ object, oldObject }) {
    if (object.metadata.name !== BACKUP_TARGET_SETTING || object.value === oldObject?.value) return ALLOWED;
    try {
      parseTarget(object.value ?? '');
      return ALLOWED;
    } catch (error) {
      return { errors: [fieldError('value', `value is no backup target: ${(error as Error).message}`)] };
    }
  },
};
