import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { leftRunning, runtimeDirectory } from '@vireo/node';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Kubectl, kubectlFor } from './kubectl.ts';
import { runVireo, startVireo, temporaryHome, type Vireo } from './vireo.ts';

// Each test goes on where the one before it ended, as a user's day does.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** A guest of 512 bytes, in a VM that is to run always and in an instance that belongs to none. */
const GUESTS = `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: { name: tiny }
spec:
  runStrategy: Always
  template:
    spec:
      terminationGracePeriodSeconds: 20
      domain:
        memory: { guest: 64Mi }
        devices: { disks: [{ name: root, disk: { bus: virtio } }] }
      volumes: [{ name: root, containerDisk: { image: vireo/boot-sector } }]
---
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: { name: alone }
spec:
  terminationGracePeriodSeconds: 20
  domain:
    memory: { guest: 64Mi }
    devices: { disks: [{ name: root, disk: { bus: virtio } }] }
  volumes: [{ name: root, containerDisk: { image: vireo/boot-sector } }]
`;

let home: string;
let removeHome: () => Promise<void>;
let vireo: Vireo | undefined;
let kubectl: Kubectl;

beforeAll(async () => {
  ({ home, remove: removeHome } = await temporaryHome());
});
afterAll(async () => {
  await runVireo(['down', '--force', '--home', home]);
  await removeHome?.();
});

async function start(): Promise<Vireo> {
  vireo = await startVireo({ home, vms: true });
  kubectl = kubectlFor(vireo.kubeconfig, join(home, 'kubectl-cache'));
  return vireo;
}

const guestPids = async (): Promise<number[]> => (await leftRunning(home)).guests.map(({ pid }) => pid).sort();
const ids = (): Promise<string> => kubectl('get vmi -o custom-columns=:.metadata.name,:.metadata.uid,:.status.phase');
const down = (...flags: string[]) => runVireo(['down', '--home', home, ...flags]);
const status = () => runVireo(['status', '--home', home]);

/** Nothing of the home is left but its files. */
async function expectNothingRuns(): Promise<void> {
  expect(await leftRunning(home)).toEqual({ guests: [], libvirtdPid: undefined });
  expect(existsSync(runtimeDirectory(home, process.getuid?.() === 0))).toBe(false);
  expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(home);
}

it('is ready only with its node, and says so', async () => {
  const { output } = await start();
  expect(output()).toContain(`\n  export KUBECONFIG=${home}/kubeconfig\n`);
  expect(await kubectl('get --raw /readyz?verbose')).toContain('[+]node ok');
  expect(await kubectl('get nodes')).toMatch(/\bReady\b/);
  expect(await kubectl('get daemonset virt-handler -n kubevirt -o jsonpath={.status.numberReady}')).toBe('1');
});

it('ends on SIGTERM and leaves its guests running', async () => {
  await kubectl.do('apply -f -', { input: GUESTS });
  await kubectl.do('wait vm/tiny vmi/alone --for=condition=Ready --timeout=60s');
  const before = await guestPids();
  expect(before).toHaveLength(2);
  expect((await status()).output).toMatch(/^ {2}VMs +2 of 2 running$/m);

  const ended = await vireo?.stop();
  expect(ended).toMatchObject({ code: 0, signal: null });
  expect(ended?.output).toContain('2 VMs keep running');
  expect(ended?.output).toContain(`vireo down --home ${home}`);
  expect(await guestPids()).toEqual(before);
  expect(await status()).toMatchObject({
    code: 1,
    output: expect.stringContaining('but 2 VMs are still running: default/alone, default/tiny'),
  });
});

it('takes its guests over when it starts again', async () => {
  const pids = await guestPids();
  const { output } = await start();
  expect(output()).toContain('Resumed 2 VMs that kept running from an earlier start.');
  expect(await ids()).toMatch(/alone +\S+ +Running\ntiny +\S+ +Running/);
  expect(await guestPids()).toEqual(pids);
});

it('down ends guests in order whose server and libvirtd were killed, and all that belongs to them', async () => {
  await vireo?.kill();
  process.kill((await leftRunning(home)).libvirtdPid as number, 'SIGKILL');
  expect(await guestPids()).toHaveLength(2);
  const { code, output } = await down();
  expect(output).toContain('Shutting down 2 VMs … 2 left');
  expect(output).toContain('Stopped 2 VMs and libvirtd');
  expect(code).toBe(0);
  await expectNothingRuns();
  expect((await down()).output).toBe(`No server is running on ${home}, and no VMs are running.\n`);
});

it('the objects are kept: what is to run always runs again, an instance of nobody has failed', async () => {
  await start();
  await kubectl.until('get vm tiny -o jsonpath={.status.printableStatus}', 'Running');
  await kubectl.until('get vmi alone -o jsonpath={.status.phase}', 'Failed');
  expect(await guestPids()).toHaveLength(1);
});

it('down can leave the guests alone, and switch them off', async () => {
  const pids = await guestPids();
  expect(await down('--keep-guests')).toMatchObject({
    code: 0,
    output: expect.stringContaining('1 VM keeps running'),
  });
  expect(await guestPids()).toEqual(pids);
  expect((await down('--force')).output).toContain('Stopped 1 VM and libvirtd');
  await expectNothingRuns();
});
