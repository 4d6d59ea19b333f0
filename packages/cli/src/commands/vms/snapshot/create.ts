import { conditionOf } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { vmReference } from '@vireo/api/kinds/kubevirt/vm.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { connected } from '../connection.ts';
import { dryRunBody } from '../dryRun.ts';
import { orFail } from '../refusal.ts';
import { type FollowOptions, follow, type Progress, timestampedName } from './follow.ts';

type Snapshot = VirtualMachineSnapshot;

interface CreateOptions extends FollowOptions {
  readonly retain?: boolean;
}

/** Takes a snapshot of a VM. */
export function create(vm: string, given: string | undefined, options: CreateOptions): Promise<void> {
  return connected(options, async (connection) => {
    const { client, namespace } = connection;
    const name = given ?? timestampedName(vm, new Date());
    const dryRun = options.dryRun ?? false;
    await orFail(
      connection,
      (why) => `cannot take a snapshot of VM ${vm}: ${why}`,
      async () => {
        await client.of(VirtualMachine).get(vm, { namespace });
        const spec = { source: vmReference(vm), ...(options.retain && { deletionPolicy: 'Retain' }) };
        await client.of(VirtualMachineSnapshot).create({ metadata: { name, namespace }, spec }, { dryRun });
      },
    );
    dryRunBody(options);
    if (dryRun || !options.wait) return console.log(`Snapshot ${name} of VM ${vm} was requested`);
    const made = await follow(connection, VirtualMachineSnapshot, name, options, progressOf);
    console.log(`Snapshot ${name} of VM ${vm} is ready: ${contents(made)}`);
  });
}

export function progressOf({ status }: Snapshot): Progress {
  const { phase, readyToUse, error } = status ?? {};
  if (readyToUse) return { is: 'done' };
  if (phase === 'Failed') return { is: 'failed', why: error?.message ?? 'no reason given' };
  const reason = conditionOf({ status }, 'Progressing')?.reason;
  return { is: 'under way', why: error?.message ?? reason ?? 'Waiting for the snapshot to start' };
}

/** What is in a snapshot, for people. */
export function contents({ status }: Snapshot): string {
  const { includedVolumes = [], excludedVolumes = [] } = status?.snapshotVolumes ?? {};
  const disks =
    includedVolumes.length > 0 ? `disks ${includedVolumes.join(', ')}` : 'only the configuration, without disks';
  const without = excludedVolumes.length > 0 ? ` (not ${excludedVolumes.join(', ')})` : '';
  const indications = status?.indications ?? [];
  return `${disks}${without}${indications.length > 0 ? `; ${indications.join(', ')}` : ''}`;
}
