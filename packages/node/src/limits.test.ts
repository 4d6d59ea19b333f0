import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Event, Pod } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { exists } from './exists.ts';
import { hasAppArmor } from './libvirtd/appArmor.ts';
import { limitsOf } from './limits/applyLimits.ts';
import { GuestGroups } from './limits/guestGroups.ts';
import { limitFiles } from './limits/limitFiles.ts';
import { guestPid } from './shutdown/guestProcesses.ts';
import { ApiClient } from './testing/apiClient.ts';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { greedyDisk } from './testing/greedyGuest.ts';
import { bootSectorVm } from './testing/vms.ts';
import { vmiUid } from './vmi/launcher.ts';

/** Only where this host lets us limit anything: not in most containers. */
const { support } = await GuestGroups.open({ run: '/run/vireo/none', vmis: '/nonexistent' });
const isComplete = Object.keys(support.missing).length === 0 && process.getuid?.() === 0;
/** The lab has all that it takes: what is missing there is a failure. */
const canLimit = isComplete || process.env.VIREO_TEST_LAB === '1';

let cluster: TestCluster;
let api: ApiClient;

beforeAll(async () => {
  if (!canLimit) return;
  cluster = await startTestCluster();
  api = await ApiClient.listen(() => cluster.node, cluster.layout.run);
  const directory = join(cluster.layout.images, 'greedy');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'disk.raw'), greedyDisk(64));
});
afterAll(async () => {
  await api?.[Symbol.asyncDispose]();
  await cluster?.close();
});

const at = { namespace: NAMESPACE };
const isRunning = ({ status }: VirtualMachineInstance): boolean => status?.phase === 'Running';
const volumes = [{ name: 'root', containerDisk: { image: 'greedy' } }];

const pidOf = (name: string): Promise<number | undefined> => guestPid(cluster.layout, `${NAMESPACE}/${name}`);

async function launcherOf(uid: string) {
  const { items } = await cluster.admin.of(Pod).list(at);
  const pod = items.find((each) => vmiUid(each) === uid);
  if (!pod) throw new Error(`no launcher of ${uid}`);
  return pod;
}

/** The directories of a process's groups, by the kernel's own account. */
async function groupsOf(pid: number | undefined, uid: string): Promise<string[]> {
  const lines = (await readFile(`/proc/${pid}/cgroup`, 'utf8')).split('\n');
  const paths = new Set(lines.map((line) => line.split(':')[2] ?? '').filter((path) => path.endsWith(`/${uid}`)));
  const directories = support.hierarchies.flatMap(({ mount }) => [...paths].map((path) => join(mount, path)));
  const areThere = await Promise.all(directories.map(exists));
  return directories.filter((_, index) => areThere[index]);
}

async function expectLimits(name: string, uid: string): Promise<void> {
  const limits = limitsOf(await cluster.vmis.until(name), await launcherOf(uid));
  const directories = await groupsOf(await pidOf(name), uid);
  let checked = 0;
  for (const hierarchy of support.hierarchies)
    for (const { name: file, value, isOptional } of limitFiles(hierarchy, limits)) {
      const directory = directories.find((each) => each.startsWith(`${hierarchy.mount}/`)) ?? '';
      const path = join(directory, file);
      if (isOptional && !(await exists(path))) continue;
      if (value === '-1' && file.startsWith('memory')) continue;
      expect([path, (await readFile(path, 'utf8')).trim()]).toEqual([path, pageAligned(file, value)]);
      checked += 1;
    }
  expect(checked).toBeGreaterThan(4);
}

/** The kernel counts memory in pages. */
const pageAligned = (file: string, value: string): string =>
  file.startsWith('memory') && Number(value) > 1 ? String(BigInt(value) - (BigInt(value) % 4096n)) : value;

/** They come with the status that tells that it runs, or a moment later. */
const untilLimited = (name: string, uid: string): Promise<void> => vi.waitFor(() => expectLimits(name, uid));

it.skipIf(!canLimit)('a guest that grows beyond its limit is ended alone, and its VMI says so', async () => {
  const domain = bootSectorVm('greedy').spec.template.spec?.domain ?? { devices: {} };
  const limited = { domain: { ...domain, resources: { limits: { cpu: '1500m' } } } };
  const vms = cluster.admin.of(VirtualMachine);
  await vms.create(bootSectorVm('greedy', { volumes, terminationGracePeriodSeconds: 0, ...limited }));
  const withTpm = { domain: { ...domain, devices: { ...domain.devices, tpm: {} } } };
  await vms.create(bootSectorVm('neighbour', withTpm));
  const greedy = await cluster.vmis.until('greedy', isRunning);
  const neighbour = await cluster.vmis.until('neighbour', isRunning);
  const pids = { greedy: await pidOf('greedy'), neighbour: await pidOf('neighbour') };
  await untilLimited('greedy', greedy.metadata.uid);
  await untilLimited('neighbour', neighbour.metadata.uid);
  const members = (await groupsOf(pids.neighbour, neighbour.metadata.uid)).map((each) => join(each, 'cgroup.procs'));
  // QEMU, and its TPM, which joins after it.
  for (const file of members)
    await vi.waitFor(async () => expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(2));
  if (await hasAppArmor()) {
    const profile = await readFile(`/proc/${pids.greedy}/attr/apparmor/current`, 'utf8');
    expect(profile.trim()).toBe(`libvirt-${greedy.metadata.uid} (enforce)`);
  }

  const memory = support.hierarchies.find(({ controllers }) => controllers.includes('memory'));
  const [directory = ''] = (await groupsOf(pids.greedy, greedy.metadata.uid)).filter((each) =>
    each.startsWith(`${memory?.mount}/`),
  );
  const [limit, use] =
    memory?.version === 1 ? ['memory.limit_in_bytes', 'memory.usage_in_bytes'] : ['memory.max', 'memory.current'];
  const launcher = await launcherOf(greedy.metadata.uid);
  await writeFile(join(directory, limit), String(Number(await readFile(join(directory, use), 'utf8')) + (16 << 20)));
  const failed = cluster.vmis.until('greedy', ({ status }) => status?.phase === 'Failed');
  const terminated = cluster.pods.until(launcher.metadata.name, ({ status }) => status?.phase === 'Failed');
  const stream = await api.open('greedy', 'console');
  stream.send('go');

  expect((await failed).status?.reason).toBe('OOMKilled');
  const ended = await terminated;
  expect(ended.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
    exitCode: 137,
    reason: 'OOMKilled',
  });
  const again = await cluster.vmis.until('greedy', (vmi) => vmi.metadata.uid !== greedy.metadata.uid && isRunning(vmi));
  const { items } = await cluster.admin.of(Event).list(at);
  expect(items.filter(({ type }) => type === 'Warning').map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^The VirtualMachineInstance failed: QEMU needed more memory than its limit of .* MiB/),
  );

  await cluster.restartNode();
  await untilLimited('greedy', again.metadata.uid);
  expect(await pidOf('neighbour')).toBe(pids.neighbour);
  await untilLimited('neighbour', neighbour.metadata.uid);
  const parents = (await groupsOf(pids.neighbour, neighbour.metadata.uid)).map((each) => join(each, '..'));
  for (const name of ['greedy', 'neighbour']) {
    await vms.delete(name, at);
    await cluster.vms.gone(name);
  }
  await vi.waitFor(async () => expect(await Promise.all(parents.map(exists))).not.toContain(true));
});
