import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { Failure } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import { type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { dryRunBody } from '../dryRun.ts';
import { orFail } from '../refusal.ts';

/** Deletes a snapshot of a VM. */
export function remove(vm: string, name: string, options: ConnectionOptions & { dryRun?: boolean }): Promise<void> {
  return connected(options, async (connection) => {
    const { client, namespace } = connection;
    await snapshotOf(connection, vm, name);
    await orFail(
      connection,
      (why) => `cannot delete snapshot ${name}: ${why}`,
      () => client.of(VirtualMachineSnapshot).delete(name, { namespace, dryRun: options.dryRun ?? false }),
    );
    dryRunBody(options);
    console.log(`Snapshot ${name} of VM ${vm} deleted`);
  });
}

/** The snapshot of that name; it has to be of the VM that was named. */
export async function snapshotOf(connection: Connection, vm: string, name: string): Promise<VirtualMachineSnapshot> {
  const { client, namespace } = connection;
  const found = await orFail(
    connection,
    (why) => why,
    () => client.of(VirtualMachineSnapshot).get(name, { namespace }),
  );
  if (found.spec.source.name === vm) return found;
  throw new Failure(
    `snapshot ${name} belongs to VM ${found.spec.source.name}, not to ${vm}`,
    `To list the snapshots of ${vm}: ${programName} snapshot list ${vm} -n ${namespace}`,
  );
}
