import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { end, guestsOf } from '../../e2e/vms/leftovers.ts';
import type { Hosts } from '../nodes/host.ts';
import type { NodeLayout } from './places.ts';

const run = promisify(execFile);

/** A migration that is on its way, and what it can be hit with. */
export interface Scene {
  readonly hosts: Hosts;
  readonly vm: string;
  readonly uid: string;
  readonly migration: string;
  readonly source: string;
  readonly target: string;
  layout(node: string): NodeLayout;
  homeOf(node: string): string;
  /** How long it lasts. */
  wait(): Promise<void>;
  /** Until the VMI is in a phase, or is gone. */
  untilPhase(phase: string): Promise<boolean>;
}

/** What happens to a migration. */
export interface MigrationFault {
  /** Whose guest ends by it: nobody's, everybody's, or the one that is on a node that is lost. */
  readonly ends: 'nobody' | 'anybody' | 'target';
  /** Does it, and undoes it. */
  run(scene: Scene): Promise<void>;
}

type Side = 'source' | 'target';

const killAgent = (side: Side): MigrationFault => ({
  ends: 'nobody',
  run: ({ hosts, [side]: node }) => hosts.signalAgent(node, 'SIGKILL'),
});

const killLibvirtd = (side: Side): MigrationFault => ({
  ends: 'nobody',
  async run({ layout, [side]: node }) {
    const pid = Number(await readFile(join(layout(node).libvirt, 'libvirtd.pid'), 'utf8').catch(() => '0'));
    if (pid > 0) end(pid, 'SIGKILL');
  },
});

/** QEMU alone, as the kernel does it that has run out of memory. */
const killQemu = (side: Side): MigrationFault => ({
  ends: side === 'source' ? 'anybody' : 'target',
  async run({ homeOf, [side]: node }) {
    for (const { pid } of await guestsOf(homeOf(node))) end(pid, 'SIGKILL');
  },
});

/** The host is off and unreachable for a while; then its agent starts. Nobody says that it is off. */
const loseHost = (side: Side): MigrationFault => ({
  ends: side === 'source' ? 'anybody' : 'target',
  async run({ hosts, wait, [side]: node }) {
    await hosts.signalAgent(node, 'SIGSTOP');
    await hosts.cable(node, 'down');
    await hosts.powerOff(node);
    await wait();
    await hosts.cable(node, 'up');
    await hosts.signalAgent(node, 'SIGKILL');
  },
});

/** The host is off for good, until an administrator says so; then it comes back. */
const fenceHost = (side: Side): MigrationFault => ({
  ends: side === 'source' ? 'anybody' : 'target',
  async run({ hosts, untilPhase, [side]: node }) {
    await hosts.signalAgent(node, 'SIGSTOP');
    await hosts.powerOff(node);
    await hosts.kubectl.until(`get node ${node}`, /NotReady/);
    await hosts.vireo('node', 'fence', node, '--yes');
    await untilPhase('Running');
    await hosts.signalAgent(node, 'SIGKILL');
    await hosts.vireo('node', 'unfence', node);
  },
});

export const MIGRATION_FAULTS: Readonly<Record<string, MigrationFault>> = {
  nothing: { ends: 'nobody', run: async () => {} },
  killSourceAgent: killAgent('source'),
  killTargetAgent: killAgent('target'),
  killSourceLibvirtd: killLibvirtd('source'),
  killTargetLibvirtd: killLibvirtd('target'),
  killSourceQemu: killQemu('source'),
  killTargetQemu: killQemu('target'),
  fillTarget: {
    ends: 'nobody',
    async run({ homeOf, target, wait }) {
      const path = join(homeOf(target), 'ballast');
      // As much as there is room for; that it ends with an error is the point.
      await run('dd', ['if=/dev/zero', `of=${path}`, 'bs=1M']).catch(() => {});
      await wait();
      await rm(path, { force: true });
    },
  },
  guestShutsDown: {
    ends: 'anybody',
    async run({ layout, source, target, uid }) {
      for (const node of [source, target]) await type(join(layout(node).run, 'machines', uid, 'serial'), 'p');
    },
  },
  pauseGuest: {
    ends: 'nobody',
    async run({ hosts, vm, wait }) {
      // A guest that moves may be refused.
      await hosts.vireo('pause', 'vm', vm).catch(() => {});
      await wait();
      while (await isPaused(hosts, vm)) await hosts.vireo('unpause', 'vm', vm).catch(() => {});
    },
  },
  deleteVmi: { ends: 'anybody', run: ({ hosts, vm }) => tolerate(hosts, `delete vmi ${vm} --wait=false`) },
  cancel: {
    ends: 'nobody',
    run: ({ hosts, migration }) => tolerate(hosts, `delete vmim ${migration} --wait=false`),
  },
  cutTarget: cut('target'),
  cutSource: cut('source'),
  loseTarget: loseHost('target'),
  loseSource: loseHost('source'),
  fenceTarget: fenceHost('target'),
  fenceSource: fenceHost('source'),
  killServer: { ends: 'nobody', run: ({ hosts }) => restartServer(hosts) },
};

function cut(side: Side): MigrationFault {
  return {
    ends: 'nobody',
    async run({ hosts, wait, [side]: node }) {
      await hosts.cable(node, 'down');
      await wait();
      await hosts.cable(node, 'up');
    },
  };
}

const STARTS = 5;

/** The agents of a server that was killed end a moment after it; until then their homes are in use, and it says so. */
async function restartServer(hosts: Hosts): Promise<void> {
  for (let start = 1; ; start += 1) {
    try {
      return await hosts.restartServer();
    } catch (error) {
      if (start === STARTS || !(error as Error).message.includes('is in use by the server')) throw error;
    }
  }
}

async function isPaused({ kubectl }: Hosts, vm: string): Promise<boolean> {
  const { stdout } = await kubectl.run(`get vmi ${vm} -o json`);
  const { status } = JSON.parse(stdout || '{}') as { status?: { conditions?: { type: string; status: string }[] } };
  return status?.conditions?.some(({ type, status: is }) => type === 'Paused' && is === 'True') ?? false;
}

/** What is gone by then needs no deletion. */
async function tolerate({ kubectl }: Hosts, command: string): Promise<void> {
  const { code, stderr } = await kubectl.run(command);
  if (code !== 0 && !stderr.includes('NotFound')) throw new Error(`kubectl ${command}: ${stderr}`);
}

/** Types on the serial console of a guest, if there is one. */
async function type(socket: string, keys: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const connection = createConnection(socket, () => connection.end(keys));
  connection.on('error', () => resolve());
  connection.on('close', () => resolve());
  connection.resume();
  const late = setTimeout(() => connection.destroy(), 1000);
  await promise;
  clearTimeout(late);
}
