import { conditionOf } from '@vireo/api';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { Failure } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import { actionPath, type Connection, connected } from '../connection.ts';
import { dryRunBody } from '../dryRun.ts';
import { orFail } from '../refusal.ts';
import { type FollowOptions, follow, machineReference, momentName, type Progress } from './follow.ts';
import { snapshotOf } from './remove.ts';

interface RestoreOptions extends FollowOptions {
  readonly stop?: boolean;
  readonly to?: string;
}

/** Brings a machine back to a snapshot, or makes another of it. */
export function restore(vm: string, snapshot: string, options: RestoreOptions): Promise<void> {
  return connected(options, async (connection) => {
    const { client, namespace } = connection;
    const target = options.to ?? vm;
    const isOn = target === vm && (await isRunning(connection, vm));
    if (isOn && !options.stop)
      throw new Failure(
        `VM ${vm} runs: it cannot be restored meanwhile`,
        `Stop it with: ${programName} stop ${vm}. Or have it stopped and started again with --stop.`,
      );
    await snapshotOf(connection, vm, snapshot);
    const name = momentName(`${snapshot}-to-${target}`, new Date());
    const dryRun = options.dryRun ?? false;
    const spec = {
      target: machineReference(target),
      virtualMachineSnapshotName: snapshot,
      targetReadinessPolicy: options.stop ? ('StopTarget' as const) : ('FailImmediate' as const),
    };
    await orFail(
      connection,
      (why) => `cannot restore VM ${target}: ${why}`,
      () => client.of(VirtualMachineRestore).create({ metadata: { name, namespace }, spec }, { dryRun }),
    );
    dryRunBody(options);
    if (dryRun || !options.wait) return console.log(`VM ${target} is to be restored from ${snapshot}`);
    await follow(connection, VirtualMachineRestore, name, options, howItGoes);
    console.log(`VM ${target} is restored from ${snapshot}`);
    if (isOn) await start(connection, vm);
  });
}

export function howItGoes({ status }: VirtualMachineRestore): Progress {
  if (status?.complete) return { is: 'done' };
  const reasonOf = (type: string) => conditionOf({ status }, type)?.reason;
  const failure = reasonOf('Failure');
  if (failure) return { is: 'failed', why: failure };
  return { is: 'under way', why: reasonOf('Progressing') ?? 'Waiting for the restore to begin' };
}

const isRunning = ({ client, namespace }: Connection, name: string): Promise<boolean> =>
  client.of(VirtualMachineInstance).find(name, { namespace }).then(Boolean);

async function start(connection: Connection, vm: string): Promise<void> {
  const path = actionPath(connection, 'virtualmachines', vm, 'start');
  await orFail(
    connection,
    (why) => `VM ${vm} is restored, but cannot be started: ${why}`,
    () => connection.client.call({ method: 'PUT', path, body: {} }),
  );
  console.log(`VM ${vm} was scheduled to start`);
}
