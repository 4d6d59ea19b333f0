import type { Persisted } from '@vireo/api';
import { disagreement } from './agreement.ts';
import type { Fact, Ledger } from './ledger.ts';
import { wrongNetwork } from './network/invariants.ts';
import { discOf, NAMESPACE, SET, type VirtualMachine, type VirtualMachineRestore } from './objects.ts';
import { orphans } from './orphans.ts';
import type { Scene } from './scene.ts';

/** What was acknowledged and is not so any more. */
export function lost(scene: Scene, ledger: Ledger): string[] {
  const found = facts(scene);
  return ledger.names().flatMap((name) => ledger.contradictions(name, found.get(name) ?? { exists: false }));
}

/** From now on the ledger has what the server has. */
export function learn(scene: Scene, ledger: Ledger): void {
  const found = facts(scene);
  for (const name of new Set([...ledger.names(), ...found.keys()]))
    ledger.learn(name, found.get(name) ?? { exists: false });
}

function facts({ vms, set, snapshots, restores, dataVolumes, services, policies }: Scene): Map<string, Fact> {
  // DataVolumes that belong to a VM are nothing that users have asked for by name.
  const discs = dataVolumes.filter(({ metadata }) => !metadata.ownerReferences?.length);
  const found = new Map<string, Fact>(
    [...snapshots, ...restores, ...discs, ...services, ...policies]
      .filter(({ metadata }) => metadata.namespace === NAMESPACE && metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => [metadata.name, { exists: true }]),
  );
  for (const { metadata, spec } of vms)
    if (metadata.deletionTimestamp === undefined)
      found.set(metadata.name, {
        exists: true,
        runs: spec.runStrategy === 'Always',
        disc: discOf(spec.template.spec) ?? '',
      });
  if (set) found.set(SET, { exists: true, replicas: set.spec.replicas ?? 1 });
  return found;
}

/** What is not yet as it should be; empty once everything has come to rest. */
export function unrest(scene: Scene): string[] {
  return [
    ...scene.vms.flatMap((vm) => unsettled(vm, scene)),
    ...unsettledSet(scene),
    ...unsettledSnapshots(scene),
    ...disagreement(scene),
    ...orphans(scene),
    ...wrongNetwork(scene),
  ];
}

function unsettled({ metadata, spec, status }: Persisted<VirtualMachine>, { vmis }: Scene): string[] {
  const name = metadata.name;
  if (metadata.deletionTimestamp !== undefined) return [`${name} is still being deleted`];
  const holder = status?.snapshotInProgress ?? status?.restoreInProgress;
  if (holder) return [`${name} is held by ${holder}`];
  const phase = vmis.find((each) => each.metadata.name === name)?.status?.phase;
  const [says, wanted] = [status?.printableStatus, spec.runStrategy === 'Always' ? 'Running' : 'Stopped'];
  // A guest that was killed several times waits before it is started again, and says so.
  if (wanted === 'Running' && says === 'CrashLoopBackOff') return [];
  if (says === wanted && phase === (wanted === 'Running' ? 'Running' : undefined)) return [];
  return [`${name} should be ${wanted}: says ${says}, its VMI ${phase}${reasonOf(status)}`];
}

const reasonOf = (status: VirtualMachine['status']): string => {
  const messages = (status?.conditions ?? []).flatMap(({ message }) => message ?? []);
  return messages.length > 0 ? ` (${messages.join('; ')})` : '';
};

function unsettledSet({ vmis, set }: Scene): string[] {
  const replicas = vmis.filter(({ metadata }) => metadata.labels?.set === SET);
  const wanted = set?.spec.replicas ?? 0;
  const running = replicas.filter(({ status }) => status?.phase === 'Running').length;
  if (replicas.length === wanted && running === wanted) return [];
  return [`${SET} should have ${wanted}: there are ${replicas.length}, ${running} of them running`];
}

/** A user forgot the snapshot before its restore began: it waits for another of that name, and says so. */
function waitsInVain({ spec, status }: VirtualMachineRestore, snapshots: Scene['snapshots']): boolean {
  const name = spec.virtualMachineSnapshotName;
  const says = status?.conditions?.some(({ reason }) => reason === `VirtualMachineSnapshot ${name} does not exist`);
  return says === true && snapshots.every(({ metadata }) => metadata.name !== name);
}

function unsettledSnapshots({ snapshots, restores }: Scene): string[] {
  const open = [
    ...snapshots.filter(
      ({ status }) => status?.phase !== 'Failed' && !(status?.phase === 'Succeeded' && status.readyToUse),
    ),
    ...restores.filter((restore) => {
      const { status } = restore;
      const hasFailed = status?.conditions?.some(({ type }) => type === 'Failure');
      return !status?.complete && !hasFailed && !waitsInVain(restore, snapshots);
    }),
  ];
  return open.map(({ kind, metadata, status }) => {
    const reasons = (status?.conditions ?? []).map(({ type, reason }) => `${type}: ${reason}`);
    return `${kind} ${metadata.name} has not ended (${reasons.join('; ')})`;
  });
}
