import { type Kind, type KubeObject, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { ignoreNotFound } from '@vireo/kube';
import { Failure, TIMED_OUT } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import { type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { dryRunBody } from '../dryRun.ts';
import { findVm } from '../findVm.ts';
import { orFail } from '../refusal.ts';
import { objectOf, type VmOrVmi } from '../vmSummary.ts';
import { waitFor } from '../waitFor.ts';
import { type DeletionScope, deletionScope, type RelatedObjects } from './deletionScope.ts';

export interface DeleteOptions extends ConnectionOptions {
  readonly force?: boolean;
  readonly wait: boolean;
  readonly timeout: number;
  readonly dryRun?: boolean;
}

/** Deletes VMs, says what goes with them and what stays, and waits until they are gone. */
export function deleteVms(names: readonly string[], options: DeleteOptions): Promise<void> {
  return connected(options, async (connection) => {
    // All names are looked up first: a typo in the last one leaves the others as they are.
    const pairs: VmOrVmi[] = [];
    for (const name of new Set(names)) pairs.push(await findVm(connection, name));
    const related = await readRelatedObjects(connection);
    const others = pairs.map((pair) => deletionScope(pair, related));
    for (const pair of pairs) await requestDeletion(connection, pair, options);
    dryRunBody(options);
    for (const [index, pair] of pairs.entries()) {
      const isGone = !options.wait || options.dryRun || (await waitUntilGone(connection, pair, options.timeout));
      if (!isGone) throw stillThere(connection, pair, options);
      console.log(deletionText(pair, others[index]!, options));
    }
  });
}

function deletionText(pair: VmOrVmi, { goes, stays, command }: DeletionScope, { wait, dryRun }: DeleteOptions): string {
  const kind = pair.vm ? 'VM' : 'VMI';
  const done = dryRun ? 'would be deleted' : wait ? 'deleted' : 'is being deleted';
  const along = dryRun ? 'would be deleted with it' : wait ? 'was deleted with it' : 'is deleted with it';
  return [
    `${kind} ${objectOf(pair).metadata.name} ${done}`,
    ...goes.map((each) => `  ${each} ${along}`),
    ...stays.map((each) => `  ${each} is kept`),
    ...(command ? [`  To delete what is kept: ${command}`] : []),
  ].join('\n');
}

/** Who may delete a VM may not always see the rest; it is then not told of. */
async function readRelatedObjects({ client, namespace }: Connection): Promise<RelatedObjects> {
  const itemsOf = <T>(list: Promise<{ readonly items: readonly T[] }>): Promise<readonly T[]> =>
    list.then(
      ({ items }) => items,
      () => [],
    );
  const [claims, dataVolumes, snapshots] = await Promise.all([
    itemsOf(client.of(PersistentVolumeClaim).list({ namespace })),
    itemsOf(client.of(DataVolume).list({ namespace })),
    itemsOf(client.of(VirtualMachineSnapshot).list({ namespace })),
  ]);
  return { claims, dataVolumes, snapshots };
}

async function requestDeletion(connection: Connection, pair: VmOrVmi, options: DeleteOptions): Promise<void> {
  const { client, namespace } = connection;
  const { name, uid } = objectOf(pair).metadata;
  const how = {
    namespace,
    preconditions: { uid },
    dryRun: options.dryRun ?? false,
    ...(options.force && { gracePeriodSeconds: 0 }),
  };
  const kind: Kind = pair.vm ? VirtualMachine : VirtualMachineInstance;
  await orFail(
    connection,
    (why) => `cannot delete ${name}: ${why}`,
    () => client.of<KubeObject>(kind).delete(name, how).catch(ignoreNotFound),
  );
}

const INTERVAL_MS = 250;

async function waitUntilGone(connection: Connection, pair: VmOrVmi, seconds: number): Promise<boolean> {
  const { client, namespace } = connection;
  const { name } = objectOf(pair).metadata;
  const uids = [pair.vm?.metadata.uid, pair.vmi?.metadata.uid];
  const gone = async (): Promise<true | undefined> => {
    const left = await Promise.all([
      client.of(VirtualMachine).find(name, { namespace }),
      client.of(VirtualMachineInstance).find(name, { namespace }),
    ]);
    // One of the same name that was made meanwhile is another.
    return left.some((each) => each && uids.includes(each.metadata.uid)) ? undefined : true;
  };
  const waited = await orFail(
    connection,
    (why) => `${name} is being deleted, but cannot be watched: ${why}`,
    () => waitFor(gone, { timeoutMs: seconds * 1_000, intervalMs: INTERVAL_MS }),
  );
  return waited ?? false;
}

function stillThere({ namespace }: Connection, pair: VmOrVmi, { timeout, force }: DeleteOptions): Failure {
  const { name } = objectOf(pair).metadata;
  return new Failure(
    `${name} is being deleted, but still exists after ${timeout} s`,
    force
      ? `To see why: ${programName} info ${name} -n ${namespace}`
      : `Its guest may need longer to shut down. To power it off: ${programName} delete ${name} --force -n ${namespace}`,
    { exitCode: TIMED_OUT },
  );
}
