import { DEFAULT_LEASE_POLICY } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { type Command, Option } from 'commander';
import { examples } from '../../examples.ts';
import { given, parseTimeout, withConnection } from '../vms/connectionOptions.ts';
import type { DeleteNodeOptions } from './delete.ts';
import type { FenceOptions } from './fence.ts';

const duration = (flags: string, description: string, seconds: number): Option =>
  new Option(flags, description).default(seconds * 1000, `${seconds}s`).argParser(parseTimeout);

/** `vireo node fence`, `unfence` and `delete`: what becomes of a host that is off, or gone for good. */
export function addFenceCommands(node: Command): void {
  addFence(node);
  addUnfence(node);
  addDelete(node);
}

function addFence(node: Command): void {
  const { stopAfterSeconds, restartAfterSeconds } = DEFAULT_LEASE_POLICY;
  withConnection(node.command('fence'))
    .summary('declare the host of a silent node off')
    .description(
      'Declares the host of a node off, so that its VMs start on other nodes. Nobody else can know that: a silent ' +
        'node may still run its guests, and a guest that runs twice destroys its disks. Switch the host off first. ' +
        'The command sets the taint node.kubernetes.io/out-of-service and waits until the VMs are given up. It ' +
        'refuses while the node reports.\n' +
        'With --policy, it sets what happens without you when the node is silent, and gives up nothing now. The policy ' +
        'lease: a process on the node ends its guests, and then they start on other nodes.',
    )
    .argument('<name>', 'name of the node')
    .option('-y, --yes', 'the host is off; do not ask')
    .addOption(new Option('--policy <policy>', 'what happens when the node is silent').choices(['lease', 'none']))
    .addOption(
      duration('--stop-after <duration>', 'with --policy lease: when a silent node ends its guests', stopAfterSeconds),
    )
    .addOption(
      duration(
        '--restart-after <duration>',
        'with --policy lease: when they start on other nodes',
        restartAfterSeconds,
      ),
    )
    .addOption(duration('--timeout <duration>', 'how long to wait: 30s, 5m, 1h', 300))
    .addHelpText(
      'after',
      examples(
        ['vireo node fence web-2', 'asks whether the host is off'],
        ['vireo node fence web-2 --yes', 'in a script that has switched it off'],
        ['vireo node fence --policy lease web-2', 'without you from now on'],
      ),
    )
    .action(async (name: string, _, command: Command) =>
      (await import('./fence.ts')).fence(name, given<FenceOptions>(command)),
    );
}

function addUnfence(node: Command): void {
  withConnection(node.command('unfence'))
    .summary('let a node that was fenced run VMs again')
    .description(
      'Removes the taint node.kubernetes.io/out-of-service. When the agent of such a node comes back, it first powers ' +
        'off the guests that were given up, and only then reports that the node is ready.',
    )
    .argument('<name>', 'name of the node')
    .addHelpText('after', examples(['vireo node unfence web-2', 'the host is repaired']))
    .action(async (name: string, _, command: Command) =>
      (await import('./fence.ts')).unfence(name, given<FenceOptions>(command)),
    );
}

function addDelete(node: Command): void {
  withConnection(node.command('delete'))
    .summary('delete a node from the cluster')
    .description(
      'Deletes a node that runs no VMs and whose agent has stopped: its Node and its Lease. It cordons the node first, ' +
        'and refuses while VMs are on it. From then on, the embedded server refuses the certificates of the node; ' +
        'Kubernetes accepts them until they expire. To join again, the host needs another token.',
    )
    .argument('<name>', 'name of the node')
    .option('-f, --force', 'the host is powered off: its VMs start on other nodes first, as by `vireo node fence`')
    .option('-y, --yes', 'with --force: the host is off; do not ask')
    .addOption(duration('--timeout <duration>', 'with --force: how long to wait: 30s, 5m, 1h', 300))
    .addHelpText(
      'after',
      examples(
        ['vireo node delete web-2', 'its agent and its VMs have stopped'],
        ['vireo node delete web-2 --force', 'its host is powered off for good'],
      ),
    )
    .action(async (name: string, _, command: Command) =>
      (await import('./delete.ts')).deleteNode(name, given<DeleteNodeOptions>(command)),
    );
}
