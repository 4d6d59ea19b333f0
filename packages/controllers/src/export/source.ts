import type { PersistentVolumeClaim } from '@vireo/api';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import type { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import type { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import type { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import type { Statement } from '../conditions.ts';
import { isControlledBy, type Vm, type Vmi } from '../kinds.ts';
import { type RestoreWorld, restoredClaims } from './restored.ts';

/** What exports are looked up in, by name in their namespace. */
export interface ExportWorld extends RestoreWorld {
  claim(name: string): PersistentVolumeClaim | undefined;
  vm(name: string): Vm | undefined;
  snapshot(name: string): VirtualMachineSnapshot | undefined;
  content(name: string): VirtualMachineSnapshotContent | undefined;
  /** An instance whose guest may be writing to the claim. */
  writer(claim: string): Vmi | undefined;
}

/** What an export can offer now. */
export interface Standing {
  readonly phase: 'Pending' | 'Ready' | 'Skipped';
  readonly ready: Omit<Statement, 'type'>;
  readonly others: readonly Statement[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly virtualMachineName?: string;
  /** Claims that are to be made of a snapshot first. */
  readonly wanted: ReturnType<typeof restoredClaims>;
}

const NOTHING = { claims: [], wanted: [], others: [] };

const not = (phase: 'Pending' | 'Skipped', reason: string, message: string) => ({
  ...NOTHING,
  phase,
  ready: { status: 'False', reason, message },
});

/** Looks at what an export names, and says what it can offer. */
export function standing(exported: VirtualMachineExport, world: ExportWorld): Standing {
  const { kind, name } = exported.spec.source;
  switch (kind) {
    case 'PersistentVolumeClaim':
      return withClaimCondition(ofClaims([name], exported, world));
    case 'VirtualMachine':
      return { ...ofMachine(name, exported, world), virtualMachineName: name };
    case 'VirtualMachineSnapshot':
      return ofSnapshot(name, exported, world);
    default:
      return not('Skipped', 'Unknown', `${kind} cannot be exported`);
  }
}

function ofMachine(name: string, exported: VirtualMachineExport, world: ExportWorld): Standing {
  const { namespace } = exported.metadata;
  const vm = world.vm(name);
  if (!vm) return not('Skipped', 'VMNotFound', `VirtualMachine ${namespace}/${name} does not exist`);
  const claims = (vm.spec.template.spec?.volumes ?? []).flatMap(
    ({ persistentVolumeClaim, dataVolume, memoryDump }) =>
      persistentVolumeClaim?.claimName ?? dataVolume?.name ?? memoryDump?.claimName ?? [],
  );
  if (claims.length === 0)
    return not('Skipped', 'VMNoVolumes', `VirtualMachine ${namespace}/${name} has no disk on a claim`);
  return withClaimCondition(ofClaims([...new Set(claims)], exported, world));
}

function ofSnapshot(name: string, exported: VirtualMachineExport, world: ExportWorld): Standing {
  const { namespace } = exported.metadata;
  const snapshot = world.snapshot(name);
  const text = `VirtualMachineSnapshot ${namespace}/${name}`;
  if (!snapshot) return not('Skipped', 'VMSnapshotNotFound', `${text} does not exist`);
  const virtualMachineName = snapshot.spec.source.name;
  const content = world.content(snapshot.status?.virtualMachineSnapshotContentName ?? '');
  if (!snapshot.status?.readyToUse || !content)
    return { ...not('Pending', 'Initializing', `${text} is not ready to use`), virtualMachineName };
  const drafts = restoredClaims(exported, content, world);
  if (drafts.length === 0) {
    const message = `${text} has no volumes`;
    return {
      ...not('Skipped', 'VMSnapshotNoVolumes', message),
      others: [created('False', 'VMSnapshotNoVolumes', message)],
      virtualMachineName,
    };
  }
  const names = drafts.map(({ metadata }) => metadata.name ?? '');
  const foreign = names.map((each) => world.claim(each)).find((claim) => claim && !isControlledBy(claim, exported));
  if (foreign) {
    const message = `PersistentVolumeClaim ${namespace}/${foreign.metadata.name} exists and is not of this export: delete it, or give the export another name`;
    return {
      ...not('Pending', 'NotAllPVCsCreated', message),
      others: [created('False', 'NotAllPVCsCreated', message)],
      virtualMachineName,
    };
  }
  const wanted = drafts.filter(({ metadata }) => !world.claim(metadata.name ?? ''));
  const found = ofClaims(names, exported, world);
  const areThere = names.every((each) => world.claim(each)?.status?.phase === 'Bound');
  const others = [
    areThere
      ? created('True', 'AllPVCsReady', 'the claims are made of the snapshot')
      : created('False', 'NotAllPVCsCreated', 'the claims are being made of the snapshot'),
  ];
  const ready = wanted.length > 0 ? { ...found.ready, reason: 'NotAllPVCsCreated' } : found.ready;
  return { ...found, ready, others, wanted, virtualMachineName };
}

const created = (status: 'True' | 'False', reason: string, message: string): Statement => ({
  type: 'VolumesCreated',
  status,
  reason,
  message,
});

/** Whether claims can be read: all of them have a volume and their data, and nobody writes to them. */
function ofClaims(names: readonly string[], { metadata }: VirtualMachineExport, world: ExportWorld): Standing {
  const claims: PersistentVolumeClaim[] = [];
  for (const name of names) {
    const claim = world.claim(name);
    const text = `PersistentVolumeClaim ${metadata.namespace}/${name}`;
    if (!claim) return not('Pending', 'PVCNotFound', `${text} does not exist`);
    if (claim.status?.phase !== 'Bound') return not('Pending', 'PodPending', `${text} has no volume yet`);
    if (waitsForData(claim)) return not('Pending', 'VolumesNotPopulated', `${text} is not filled yet`);
    const user = world.writer(name);
    if (user)
      return not(
        'Pending',
        'InUse',
        `${text} is in use by VirtualMachineInstance ${user.metadata.name}: stop that machine first`,
      );
    claims.push(claim);
  }
  const message = 'the volumes can be downloaded';
  return { ...NOTHING, phase: 'Ready', ready: { status: 'True', reason: 'PodReady', message }, claims };
}

const CLAIM_REASONS: Readonly<Record<string, readonly [status: 'True' | 'False', reason: string]>> = {
  PVCNotFound: ['False', 'PVCNotFound'],
  PodPending: ['False', 'PVCPending'],
};

function withClaimCondition(of: Standing): Standing {
  const [status, reason] = CLAIM_REASONS[of.ready.reason ?? ''] ?? ['True', 'PVCBound'];
  return { ...of, others: [{ type: 'PVCReady', status, reason, message: status === 'True' ? '' : of.ready.message }] };
}
