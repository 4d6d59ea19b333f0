import { type ConditionDraft, isControlledBy, type Persisted, type PersistentVolumeClaim } from '@vireo/api';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import type { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { writtenClaimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import type { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import type { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { restoredClaims, type VolumeSnapshotLookup } from './restored.ts';

/** Finds objects by name in the namespace of the export. */
export interface ExportLookup extends VolumeSnapshotLookup {
  claim(name: string): PersistentVolumeClaim | undefined;
  vm(name: string): Vm | undefined;
  snapshot(name: string): VirtualMachineSnapshot | undefined;
  content(name: string): VirtualMachineSnapshotContent | undefined;
  /** A VMI whose guest may be writing to the claim. */
  writer(claim: string): Vmi | undefined;
}

/** Whether the source of an export can be read now, and which claims it is on. */
export interface SourceState {
  readonly phase: 'Pending' | 'Ready' | 'Skipped';
  readonly ready: Omit<ConditionDraft, 'type'>;
  readonly others: readonly ConditionDraft[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly virtualMachineName?: string;
  /** Claims that are to be made of a snapshot first. */
  readonly wanted: ReturnType<typeof restoredClaims>;
}

const NOTHING = { claims: [], wanted: [], others: [] };

const notReady = (phase: 'Pending' | 'Skipped', reason: string, message: string) => ({
  ...NOTHING,
  phase,
  ready: { status: 'False', reason, message },
});

export function sourceState(exported: Persisted<VirtualMachineExport>, lookup: ExportLookup): SourceState {
  const { kind, name } = exported.spec.source;
  switch (kind) {
    case 'PersistentVolumeClaim':
      return withClaimCondition(claimsState([name], exported, lookup));
    case 'VirtualMachine':
      return { ...vmState(name, exported, lookup), virtualMachineName: name };
    case 'VirtualMachineSnapshot':
      return snapshotState(name, exported, lookup);
    default:
      return notReady('Skipped', 'Unknown', `${kind} cannot be exported`);
  }
}

function vmState(name: string, exported: Persisted<VirtualMachineExport>, lookup: ExportLookup): SourceState {
  const { namespace } = exported.metadata;
  const vm = lookup.vm(name);
  if (!vm) return notReady('Skipped', 'VMNotFound', `VirtualMachine ${namespace}/${name} does not exist`);
  const claims = (vm.spec.template.spec?.volumes ?? []).flatMap((volume) => writtenClaimNameOf(volume) ?? []);
  if (claims.length === 0)
    return notReady('Skipped', 'VMNoVolumes', `VirtualMachine ${namespace}/${name} has no disk on a claim`);
  return withClaimCondition(claimsState([...new Set(claims)], exported, lookup));
}

function snapshotState(name: string, exported: Persisted<VirtualMachineExport>, lookup: ExportLookup): SourceState {
  const { namespace } = exported.metadata;
  const snapshot = lookup.snapshot(name);
  const text = `VirtualMachineSnapshot ${namespace}/${name}`;
  if (!snapshot) return notReady('Skipped', 'VMSnapshotNotFound', `${text} does not exist`);
  const virtualMachineName = snapshot.spec.source.name;
  const content = lookup.content(snapshot.status?.virtualMachineSnapshotContentName ?? '');
  if (!snapshot.status?.readyToUse || !content)
    return { ...notReady('Pending', 'Initializing', `${text} is not ready to use`), virtualMachineName };
  const drafts = restoredClaims(exported, content, lookup);
  if (drafts.length === 0) {
    const message = `${text} has no volumes`;
    return {
      ...notReady('Skipped', 'VMSnapshotNoVolumes', message),
      others: [createdCondition('False', 'VMSnapshotNoVolumes', message)],
      virtualMachineName,
    };
  }
  const names = drafts.map(({ metadata }) => metadata.name ?? '');
  const foreign = names.map((each) => lookup.claim(each)).find((claim) => claim && !isControlledBy(claim, exported));
  if (foreign) {
    const message = `PersistentVolumeClaim ${namespace}/${foreign.metadata.name} already exists and is not owned by this export: delete it, or give the export another name`;
    return {
      ...notReady('Pending', 'NotAllPVCsCreated', message),
      others: [createdCondition('False', 'NotAllPVCsCreated', message)],
      virtualMachineName,
    };
  }
  const wanted = drafts.filter(({ metadata }) => !lookup.claim(metadata.name ?? ''));
  const found = claimsState(names, exported, lookup);
  const areThere = names.every((each) => lookup.claim(each)?.status?.phase === 'Bound');
  const others = [
    areThere
      ? createdCondition('True', 'AllPVCsReady', 'the claims were created from the snapshot')
      : createdCondition('False', 'NotAllPVCsCreated', 'creating claims from the snapshot'),
  ];
  const ready = wanted.length > 0 ? { ...found.ready, reason: 'NotAllPVCsCreated' } : found.ready;
  return { ...found, ready, others, wanted, virtualMachineName };
}

const createdCondition = (status: 'True' | 'False', reason: string, message: string): ConditionDraft => ({
  type: 'VolumesCreated',
  status,
  reason,
  message,
});

/** Whether claims can be read: all of them have a volume and their data, and nobody writes to them. */
function claimsState(
  names: readonly string[],
  { metadata }: Persisted<VirtualMachineExport>,
  lookup: ExportLookup,
): SourceState {
  const claims: PersistentVolumeClaim[] = [];
  for (const name of names) {
    const claim = lookup.claim(name);
    const text = `PersistentVolumeClaim ${metadata.namespace}/${name}`;
    if (!claim) return notReady('Pending', 'PVCNotFound', `${text} does not exist`);
    if (claim.status?.phase !== 'Bound') return notReady('Pending', 'PodPending', `${text} has no volume yet`);
    if (waitsForData(claim)) return notReady('Pending', 'VolumesNotPopulated', `${text} is not populated yet`);
    const user = lookup.writer(name);
    if (user)
      return notReady(
        'Pending',
        'InUse',
        `${text} is in use by VirtualMachineInstance ${user.metadata.name}: stop that VM first`,
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

function withClaimCondition(state: SourceState): SourceState {
  const [status, reason] = CLAIM_REASONS[state.ready.reason ?? ''] ?? ['True', 'PVCBound'];
  return {
    ...state,
    others: [{ type: 'PVCReady', status, reason, message: status === 'True' ? '' : state.ready.message }],
  };
}
