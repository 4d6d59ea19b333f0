import { field, type Infer, isDeleting, notFound, PersistentVolumeClaim } from '@vireo/api';
import { required } from '@vireo/api/kinds/customResource.ts';
import { VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import { Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import {
  MIGRATION_STRATEGY,
  migratedVolumes,
  onClaim,
  volumeMoveRefusal,
  withCurrentVolumes,
} from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import { compareQuantities } from '@vireo/api/quantity.ts';
import { string, struct } from '@vireo/api/schema.ts';
import type { Client } from '@vireo/kube';
import type { SettledPlan, Targets } from '../../actions/action.ts';
import { vmConflict } from '../../actions/refusals.ts';
import { harvesterAction } from '../action.ts';
import { invalidField } from '../input.ts';
import { pvcVolumes, withTarget, withTargets } from './claims.ts';
import { activeMigration } from './migration.ts';

type Target = Targets['virtualmachines'];

const StorageMigrationInput = struct(
  'io.harvesterhci.v1beta1.StorageMigrationInput',
  'Which disk of a running VM moves, and where to.',
  {
    sourceVolume: required(string, 'Claim that a disk of the VM is on.'),
    targetVolume: required(string, 'Claim that the disk moves to, in the namespace of the VM.'),
  },
);
interface StorageMigrationInput extends Infer<typeof StorageMigrationInput> {}

const CLAIMS = { group: '', resource: PersistentVolumeClaim.plural };

const volumesOf = ({ spec }: VirtualMachine): readonly Volume[] => spec.template.spec?.volumes ?? [];

/** Why no disk of the VM can move now, whichever it is. */
function obstacle({ vmi }: Target): string | undefined {
  if (!vmi || !isRunning(vmi) || isDeleting(vmi)) return 'it is not running';
  if (migratedVolumes(vmi).length > 0)
    return 'a disk of it is being moved to another claim; wait, or call cancelStorageMigration';
  return undefined;
}

export const storageMigration = harvesterAction('virtualmachines')<StorageMigrationInput>({
  name: 'storageMigration',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Moves a disk of the running VM to another claim, with its data, by a live migration.',
  body: StorageMigrationInput,
  needs: [
    { apiGroups: [''], resources: [PersistentVolumeClaim.plural], verbs: ['get'] },
    { apiGroups: [VirtualMachine.group], resources: [VirtualMachine.plural, Migration.plural], verbs: ['list'] },
  ],
  isListed: async (target, { client }) =>
    obstacle(target) === undefined &&
    target.vmi !== undefined &&
    volumesOf(target.vm).some((volume) => claimNameOf(volume) !== undefined) &&
    (await activeMigration(target, client)) === undefined,
  decide(target, { body }) {
    const { vm, vmi } = target;
    if (body.sourceVolume === body.targetVolume)
      throw invalidField(field.invalid('targetVolume', body.targetVolume, 'must differ from sourceVolume'));
    const why = obstacle(target);
    if (why !== undefined || !vmi) throw vmConflict(vm, why ?? 'it is not running');
    const volume = volumesOf(vm).find((each) => claimNameOf(each) === body.sourceVolume);
    if (!volume) throw invalidField(field.invalid('sourceVolume', body.sourceVolume, 'no disk of the VM is on it'));
    return {
      type: 'lookup',
      async decide({ client }) {
        if (await activeMigration(target, client)) throw vmConflict(vm, 'it is being migrated');
        await expectMovable(client, target, vmi, volume.name, body);
        return planOf(
          vm,
          (each) => (each.name === volume.name ? onClaim(each, body.targetVolume) : each),
          MIGRATION_STRATEGY,
          withTarget(vm, body.sourceVolume, body.targetVolume),
        );
      },
    };
  },
});

/** Refuses what the VM's controller would turn into a change for the next start. */
async function expectMovable(
  client: Client,
  { vm }: Target,
  vmi: Vmi,
  volumeName: string,
  { sourceVolume, targetVolume }: StorageMigrationInput,
): Promise<void> {
  const { name, namespace } = vm.metadata;
  // Whether the guest can move depends on its other claims, too.
  const others = (vmi.spec.volumes ?? []).flatMap((volume) => claimNameOf(volume) ?? []);
  const claimNames = [...new Set([sourceVolume, targetVolume, ...others])];
  const [claims, vms] = await Promise.all([
    Promise.all(claimNames.map((claim) => client.of(PersistentVolumeClaim).find(claim, { namespace }))),
    client.of(VirtualMachine).list({ namespace }),
  ]);
  const byName = new Map(claimNames.map((claim, index) => [claim, claims[index]]));
  const target = byName.get(targetVolume);
  if (!target) throw notFound(CLAIMS, targetVolume);
  const user = vms.items.find((each) => pvcVolumes(each).some(({ claimName }) => claimName === targetVolume));
  if (user) {
    const whose = user.metadata.name === name ? 'a disk of this VM is on it' : `the VM "${user.metadata.name}" uses it`;
    throw invalidField(field.invalid('targetVolume', targetVolume, whose));
  }
  const refusal = volumeMoveRefusal(vmi, [{ name: volumeName }], (claim) => byName.get(claim));
  if (refusal !== undefined) throw vmConflict(vm, refusal);
  const [has, needs] = [sizeOf(target), sizeOf(byName.get(sourceVolume))];
  if (has !== undefined && needs !== undefined && compareQuantities(has, needs) < 0)
    throw invalidField(field.invalid('targetVolume', targetVolume, `has ${has}, but ${sourceVolume} has ${needs}`));
}

const sizeOf = (claim: PersistentVolumeClaim | undefined): string | number | undefined =>
  claim?.status?.capacity?.storage ?? claim?.spec?.resources?.requests?.storage;

/** The volumes that the VM has on other claims than its guest, by name: where the guest has them. */
function movingVolumes({ vm, vmi }: Target): ReadonlyMap<string, string> {
  if (!vmi || vm.spec.updateVolumesStrategy !== MIGRATION_STRATEGY) return new Map();
  const current = withCurrentVolumes(vmi).spec.volumes ?? [];
  return new Map(
    volumesOf(vm).flatMap((volume) => {
      const same = current.find(({ name }) => name === volume.name);
      const [is, wanted] = [same && claimNameOf(same), claimNameOf(volume)];
      return is === undefined || wanted === undefined || is === wanted ? [] : [[volume.name, is] as const];
    }),
  );
}

export const cancelStorageMigration = harvesterAction('virtualmachines')({
  name: 'cancelStorageMigration',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Stops moving disks of the VM to other claims. The guest keeps the claims that it has.',
  isListed: (target) => movingVolumes(target).size > 0,
  decide(target) {
    const { vm } = target;
    const moving = movingVolumes(target);
    if (moving.size === 0) throw vmConflict(vm, 'no disk of it is being moved to another claim');
    const back = (volume: Volume): Volume => onClaim(volume, moving.get(volume.name) ?? claimNameOf(volume) ?? '');
    return planOf(
      vm,
      (volume) => (moving.has(volume.name) ? back(volume) : volume),
      null,
      withTargets(vm, () => undefined),
    );
  },
});

const planOf = (
  vm: VirtualMachine,
  change: (volume: Volume) => Volume,
  updateVolumesStrategy: string | null,
  templates: string | undefined,
): SettledPlan => ({
  type: 'write',
  writes: [
    {
      to: 'vm',
      patch: {
        ...(templates !== undefined && { metadata: { annotations: { [VOLUME_CLAIM_TEMPLATES]: templates } } }),
        spec: { updateVolumesStrategy, template: { spec: { volumes: volumesOf(vm).map(change) } } },
      },
    },
  ],
});
