import { conditionOf } from '@vireo/api';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { vmReference } from '@vireo/api/kinds/kubevirt/vm.ts';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { Failure } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import { actionPath, type Connection, connected } from '../connection.ts';
import { dryRunBody } from '../dryRun.ts';
import { orFail } from '../refusal.ts';
import { type FollowOptions, follow, type Progress, timestampedName } from './follow.ts';
import { snapshotOf } from './remove.ts';

interface RestoreOptions extends FollowOptions {
  readonly stop?: boolean;
  readonly to?: string;
}

/** Brings a VM back to a snapshot, or makes another of it. */
export function restore(vm: string, snapshot: string, options: RestoreOptions): Promise<void> {
  return connected(options, async (connection) => {
    const { client, namespace } = connection;
    const target = options.to ?? vm;
    const isOn = target === vm && (await isRunning(connection, vm));
    if (isOn && !options.stop)
      throw new Failure(
        `VM ${vm} is running: stop it before you restore it`,
        `To stop it: ${programName} stop ${vm}. To stop it, restore it and start it again: --stop.`,
      );
    await snapshotOf(connection, vm, snapshot);
    const name = timestampedName(`${snapshot}-to-${target}`, new Date());
    const dryRun = options.dryRun ?? false;
    const spec = {
      target: vmReference(target),
      virtualMachineSnapshotName: snapshot,
      targetReadinessPolicy: options.stop ? ('StopTarget' as const) : ('FailImmediate' as const),
    };
    await orFail(
      connection,
      (why) => `cannot restore VM ${target}: ${why}`,
      () => client.of(VirtualMachineRestore).create({ metadata: { name, namespace }, spec }, { dryRun }),
    );
    dryRunBody(options);
    if (dryRun || !options.wait) return console.log(`Restore of VM ${target} from ${snapshot} was requested`);
    await follow(connection, VirtualMachineRestore, name, options, progressOf);
    console.log(`VM ${target} was restored from ${snapshot}`);
    if (isOn) await start(connection, vm);
  });
}

export function progressOf({ status }: VirtualMachineRestore): Progress {
  if (status?.complete) return { is: 'done' };
  const reasonOf = (type: string) => conditionOf({ status }, type)?.reason;
  const failure = reasonOf('Failure');
  if (failure) return { is: 'failed', why: failure };
  return { is: 'under way', why: reasonOf('Progressing') ?? 'Waiting for the restore to start' };
}

const isRunning = ({ client, namespace }: Connection, name: string): Promise<boolean> =>
  client.of(VirtualMachineInstance).find(name, { namespace }).then(Boolean);

async function start(connection: Connection, vm: string): Promise<void> {
  const path = actionPath(connection, 'virtualmachines', vm, 'start');
  await orFail(
    connection,
    (why) => `VM ${vm} was restored, but cannot be started: ${why}`,
    () => connection.client.call({ method: 'PUT', path, body: {} }),
  );
  console.log(`VM ${vm} was scheduled to start`);
}
