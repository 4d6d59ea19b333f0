import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { conditionOf, Event, Node, type Persisted, Pod } from '@vireo/api';
import type { Interface } from '@vireo/api/kinds/kubevirt/interface.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { memlockBytes, memoryOverheadBytes, registerHypervisor } from '@vireo/hypervisor';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { reservedCpus } from './cpus/chooseCpus.ts';
import { assemble, code } from './guestImage/machineCode.ts';
import { readAllowedCpus, readCpuTopology } from './host/cpuTopology.ts';
import { guestProcesses } from './shutdown/guestProcesses.ts';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { isKvmRequired } from './testing/kvm.ts';
import { bootSectorVm } from './testing/vms.ts';
import { vmiUid } from './vmi/launcher.ts';

/** Tells the panic device of its end as soon as it runs. */
function panickingDisk(): Buffer {
  const disk = Buffer.alloc(1 << 20);
  const program = assemble(0x7c00, [
    code(0xba, 0x05, 0x05), // mov dx, 0x505
    code(0xb0, 0x01), // mov al, 1
    code(0xee), // out dx, al
    code(0xf4), // hlt
  ]);
  program.copy(disk);
  disk.writeUInt16LE(0xaa55, 510);
  return disk;
}

let cluster: TestCluster;

beforeAll(async () => {
  cluster = await startTestCluster();
  const directory = join(cluster.layout.images, 'panic');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'disk.raw'), panickingDisk());
});
afterAll(() => cluster?.close());

const at = { namespace: NAMESPACE };
type Spec = NonNullable<VirtualMachine['spec']['template']['spec']>;
const devicesOf = (vm: VirtualMachine) => vm.spec.template.spec?.domain.devices;
const withDevices = (vm: VirtualMachine, devices: object): Spec =>
  ({ domain: { ...vm.spec.template.spec?.domain, devices: { ...devicesOf(vm), ...devices } } }) as Spec;

async function plug(name: string, state: string | undefined): Promise<void> {
  const interfaces: Interface[] = [{ name: 'default', masquerade: {}, ...(state && { state }) }];
  const template = { spec: { domain: { devices: { interfaces } } } };
  await cluster.admin.of(VirtualMachine).patch(name, { spec: { template } }, { ...at, type: 'merge' });
}

const hasLink = (state: string) => (vmi: VirtualMachineInstance) => vmi.status?.interfaces?.[0]?.linkState === state;

it('cables are pulled and plugged while the guest runs', async () => {
  await cluster.admin.of(VirtualMachine).create(bootSectorVm('web'));
  const started = await cluster.vmis.until('web', (vmi) => vmi.status?.phase === 'Running' && hasLink('up')(vmi));
  const guests = await cluster.guests();
  await plug('web', 'down');
  await cluster.vmis.until('web', hasLink('down'));
  await plug('web', undefined);
  const after = await cluster.vmis.until('web', hasLink('up'));
  expect(after.metadata.uid).toBe(started.metadata.uid);
  expect(await cluster.guests()).toEqual(guests);
  const { status } = await cluster.vms.until('web');
  expect(status?.conditions?.map(({ type }) => type)).not.toContain('RestartRequired');
  await cluster.admin.of(VirtualMachine).delete('web', at);
});

it('a VMI reports the error of its hypervisor, and is tried again until it starts', async () => {
  const broken = { is: true };
  const unregister = registerHypervisor({
    name: 'moody',
    converter: {
      domainType: 'qemu',
      isAccelerated: false,
      mutators: [
        (domain) => {
          if (broken.is) throw new Error('not in the mood');
          return domain;
        },
      ],
    },
    runtime: { deviceRequests: [], memoryOverheadBytes, memlockBytes },
    labeller: { preferredVirtType: 'qemu', devices: [] },
  });
  const choose = (name: string | null, featureGates: string[] | null) =>
    cluster.admin.of(KubeVirt).patch(
      'kubevirt',
      {
        spec: {
          configuration: { hypervisorConfiguration: name && { name }, developerConfiguration: { featureGates } },
        },
      },
      { namespace: 'kubevirt', type: 'merge' },
    );
  try {
    await choose('moody', ['ConfigurableHypervisor']);
    await cluster.admin.of(VirtualMachine).create(bootSectorVm('failing'));
    // Before the node has it, its launcher pod may wait for the node to offer the hypervisor.
    const failing = await cluster.vmis.until(
      'failing',
      (vmi) => vmi.status?.phase === 'Scheduled' && conditionOf(vmi, 'Synchronized')?.status === 'False',
    );
    expect(failing.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Synchronized',
        reason: 'Synchronizing with the Domain failed.',
        message: expect.stringContaining('not in the mood'),
      }),
    );
    await expect
      .poll(async () => (await cluster.admin.of(Event).list(at)).items.map(({ reason, message }) => [reason, message]))
      .toContainEqual(['SyncFailed', expect.stringContaining('not in the mood')]);
    broken.is = false;
    const running = await cluster.vmis.until('failing', ({ status }) => status?.phase === 'Running');
    expect(running.status?.conditions?.map(({ type }) => type)).not.toContain('Synchronized');
    await cluster.admin.of(VirtualMachine).delete('failing', at);
  } finally {
    await choose(null, null);
    unregister();
  }
});

it('a guest that panics has failed', async () => {
  const vm = bootSectorVm('panicking', {
    volumes: [{ name: 'root', containerDisk: { image: 'panic' } }],
    ...withDevices(bootSectorVm('panicking'), { panicDevices: [{ model: 'isa' }] }),
  });
  await cluster.admin.of(VirtualMachine).create({ ...vm, spec: { ...vm.spec, runStrategy: 'Once' } });
  await cluster.vmis.until('panicking', ({ status }) => status?.phase === 'Failed');
  await expect
    .poll(async () => (await cluster.admin.of(Event).list(at)).items.map(({ message }) => message))
    .toContain('The VirtualMachineInstance crashed.');
});

const create = (...args: Parameters<typeof bootSectorVm>) =>
  cluster.admin.of(VirtualMachine).create(bootSectorVm(...args));

/** Removes VMs and waits until they are gone. */
async function removeAll(...names: string[]): Promise<void> {
  await Promise.all(names.map((name) => cluster.admin.of(VirtualMachine).delete(name, at)));
  await Promise.all(names.map((name) => cluster.vms.gone(name)));
}

async function launcherOf(vmi: VirtualMachineInstance): Promise<Persisted<Pod>> {
  const { items } = await cluster.admin.of(Pod).list(at);
  const pod = items.find((each) => vmiUid(each) === vmi.metadata.uid);
  if (!pod) throw new Error(`${vmi.metadata.name} has no launcher`);
  return pod;
}

/** The CPUs that the threads of a guest may run on, by their names in QEMU. */
async function threadCpus(pid: number): Promise<Record<string, number[]>> {
  const threads = await readdir(`/proc/${pid}/task`);
  const found = await Promise.all(
    threads.map(async (id) => {
      const comm = (await readFile(`/proc/${pid}/task/${id}/comm`, 'utf8')).trim();
      return [comm, await readAllowedCpus(`/proc/${pid}/task/${id}/status`)] as const;
    }),
  );
  return Object.fromEntries(found);
}

const cpusFile = (): string => join(cluster.layout.vmis, '../cpus.json');

const pidOf = async (name: string): Promise<number> =>
  (await guestProcesses(cluster.layout)).find(({ key }) => key === `${NAMESPACE}/${name}`)?.pid ?? 0;

it('a VM has CPUs to itself, also after a restart of the agent, until it is gone', async ({ skip }) => {
  const allowed = await readAllowedCpus();
  const reserved = reservedCpus(await readCpuTopology());
  const count = allowed.filter((cpu) => !reserved.includes(cpu)).length;
  const node = await cluster.admin.of(Node).get('node-1');
  expect(node.metadata.labels?.['kubevirt.io/cpumanager']).toBe(String(count > 0));
  if (count === 0) return skip('this host has one core');
  await create('shared', { terminationGracePeriodSeconds: 0 });
  await cluster.vmis.until('shared', isRunning);
  const { domain } = bootSectorVm('pinned').spec.template.spec ?? {};
  const dedicated = { ...domain, cpu: { cores: 1, dedicatedCpuPlacement: true }, ioThreadsPolicy: 'shared' } as never;
  for (let index = 0; index < count; index += 1)
    await create(`pinned${index}`, { terminationGracePeriodSeconds: 0, domain: dedicated });
  const pinned: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const vmi = await cluster.vmis.until(`pinned${index}`, isRunning);
    expect((await launcherOf(vmi)).status?.qosClass).toBe('Guaranteed');
    const cpus = await threadCpus(await pidOf(`pinned${index}`));
    const own = cpus['CPU 0/TCG'] ?? cpus['CPU 0/KVM'];
    expect(own).toHaveLength(1);
    pinned.push(...(own ?? []));
    // The emulator, its helpers and the I/O thread stay there, too.
    expect(cpus).toEqual(Object.fromEntries(Object.keys(cpus).map((name) => [name, own])));
    expect(Object.keys(cpus)).toContain('IO iothread1');
  }
  expect(pinned.toSorted((a, b) => a - b)).toEqual(allowed.filter((cpu) => !reserved.includes(cpu)));
  expect(Object.values(await threadCpus(await pidOf('shared')))).toContainEqual(
    allowed.filter((cpu) => reserved.includes(cpu)),
  );
  await cluster.restartNode();
  const claims = Object.values(JSON.parse(await readFile(cpusFile(), 'utf8')) as Record<string, { cpus: number[] }>);
  expect(claims.flatMap(({ cpus }) => cpus).toSorted((a, b) => a - b)).toEqual(pinned.toSorted((a, b) => a - b));
  await removeAll('shared', ...pinned.map((_, index) => `pinned${index}`));
  await vi.waitFor(async () => expect(await readFile(cpusFile(), 'utf8')).toBe('{}\n'));
});

it('a VM that wants more CPUs to itself than its node has says so, and waits', async () => {
  const { domain } = bootSectorVm('greedy').spec.template.spec ?? {};
  const cores = (await readAllowedCpus()).length;
  const { metadata, status: has } = await cluster.admin.of(Node).get('node-1');
  const isManaged = metadata.labels?.['kubevirt.io/cpumanager'] === 'true';
  expect(Number(has?.allocatable?.['vireo.dev/dedicated-cpus'])).toBeLessThan(cores);
  await create('greedy', { domain: { ...domain, cpu: { cores, dedicatedCpuPlacement: true } } as never });
  const reasonOf = (vmi: VirtualMachineInstance) => conditionOf(vmi, 'PodScheduled')?.message ?? '';
  const waiting = await cluster.vmis.until('greedy', (vmi) => reasonOf(vmi) !== '');
  expect(reasonOf(waiting)).toContain(
    isManaged ? 'Insufficient vireo.dev/dedicated-cpus' : "didn't match Pod's node affinity/selector",
  );
  expect((await launcherOf(waiting)).spec?.nodeName).toBeUndefined();
  await removeAll('greedy');
});

it('VMs follow the CPU of their host, and run only where it has what they require', async () => {
  const { metadata } = await cluster.admin.of(Node).get('node-1');
  const has = (name: string): boolean => metadata.labels?.[`cpu-feature.node.kubevirt.io/${name}`] === 'true';
  const { domain } = bootSectorVm('cpu').spec.template.spec ?? {};
  const cpus: Record<string, { model?: string; features?: { name: string; policy: string }[] }> = {
    model: { model: 'host-model' },
    passthrough: { model: 'host-passthrough' },
    vmx: { features: [{ name: 'vmx', policy: 'require' }] },
    svm: { features: [{ name: 'svm', policy: 'require' }] },
  };
  for (const [name, cpu] of Object.entries(cpus))
    await create(name, { terminationGracePeriodSeconds: 0, domain: { ...domain, cpu } as never });
  for (const [name, { features = [] }] of Object.entries(cpus)) {
    if (features.every((feature) => has(feature.name))) {
      await cluster.vmis.until(name, isRunning);
      const words = (await readFile(`/proc/${await pidOf(name)}/cmdline`, 'latin1')).split('\0');
      expect(words[words.indexOf('-accel') + 1]).toBe(isKvmRequired ? 'kvm' : 'tcg');
    } else {
      const vm = await cluster.vms.until(name, (each) => each.status?.printableStatus === 'ErrorUnschedulable');
      expect(JSON.stringify(vm.status?.conditions)).toContain('node affinity/selector');
    }
  }
  await removeAll(...Object.keys(cpus));
});

it('a VM gets huge pages without a mount of them', async ({ skip }) => {
  const { status } = await cluster.admin.of(Node).get('node-1');
  const free = await readFile('/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages', 'utf8').catch(() => '0');
  expect(status?.allocatable).toHaveProperty('hugepages-2Mi');
  if (Number(free) < 32) return skip('fewer than 32 huge pages are free: echo 40 > /proc/sys/vm/nr_hugepages');
  const { domain } = bootSectorVm('huge').spec.template.spec ?? {};
  await create('huge', { domain: { ...domain, memory: { guest: '64Mi', hugepages: { pageSize: '2Mi' } } } as never });
  await cluster.vmis.until('huge', isRunning);
  const maps = await readFile(`/proc/${await pidOf('huge')}/smaps`, 'utf8');
  const guest = maps.split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).find((map) => map.includes('memfd:memory-backend-memfd'));
  expect(guest).toMatch(/^Size: +65536 kB$/m);
  expect(guest).toMatch(/^KernelPageSize: +2048 kB$/m);
  await removeAll('huge');
});
