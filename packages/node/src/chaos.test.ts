import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { AgentOptions } from './testing/agentProcess.ts';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { bootSectorVm } from './testing/vms.ts';

const SEED = Number(process.env.VIREO_SEED ?? 1);
const ROUNDS = Number(process.env.VIREO_ROUNDS ?? 2);
const NAMES = ['a', 'b', 'c'];
const at = { namespace: NAMESPACE };

let cluster: TestCluster;
let agent: ChildProcess;

/** The same numbers for the same seed. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed >>> 0; ; ) {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}
const random = numbers(SEED);
const upTo = (limit: number): number => Math.floor(random.next().value * limit);

async function startAgent(): Promise<void> {
  const { server, layout } = cluster;
  const read = (name: string): Promise<string> => readFile(join(server.home, 'pki', name), 'utf8');
  const options: AgentOptions = {
    home: dirname(layout.libvirt),
    name: 'node-1',
    server: `https://127.0.0.1:${server.server.port}`,
    certificateAuthority: await read('ca.crt'),
    certificate: await read('admin.crt'),
    key: await read('admin.key'),
  };
  const script = fileURLToPath(new URL('testing/agentProcess.ts', import.meta.url));
  agent = spawn(process.execPath, [script, JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function killAgent(): Promise<void> {
  const ended = once(agent, 'exit');
  agent.kill('SIGKILL');
  await ended;
}
const killLibvirtd = async (): Promise<void> => {
  const pid = await cluster.libvirtdPid();
  // One that was just killed may not be back yet.
  if ((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('libvirtd'))
    process.kill(pid, 'SIGKILL');
};

/** At a moment of chance, something dies; whatever it was is started again. */
async function strike(): Promise<void> {
  await sleep(upTo(1200));
  const victim = upTo(3);
  if (victim !== 1) await killAgent();
  if (victim !== 0) await killLibvirtd();
  if (victim !== 1) await startAgent();
}

beforeAll(async () => {
  cluster = await startTestCluster();
  await cluster.stopNode();
  await startAgent();
});
afterAll(async () => {
  if (agent) await killAgent();
  await cluster?.close();
});

it(`whatever dies at whatever moment, VMs start once and leave nothing (seed ${SEED})`, {
  timeout: 240_000,
}, async () => {
  const vms = cluster.admin.of(VirtualMachine);
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(NAMES.map((name) => vms.create(bootSectorVm(name))));
    await strike();
    const running = await Promise.all(
      NAMES.map((name) => cluster.vmis.until(name, ({ status }) => status?.phase === 'Running')),
    );
    const uids = running.map(({ metadata }) => metadata.uid).sort();
    await vi.waitFor(async () => expect(await cluster.guests()).toHaveLength(NAMES.length), { timeout: 20_000 });
    expect((await readdir(cluster.layout.vmis)).sort()).toEqual(uids);

    await Promise.all(NAMES.map((name) => vms.delete(name, at)));
    await strike();
    await Promise.all(NAMES.map((name) => cluster.vms.gone(name)));
    await vi.waitFor(
      async () =>
        expect({
          guests: await cluster.guests(),
          files: await readdir(cluster.layout.vmis),
          sockets: await readdir(join(cluster.layout.run, 'machines')),
        }).toEqual({ guests: [], files: [], sockets: [] }),
      { timeout: 20_000 },
    );
  }
});
