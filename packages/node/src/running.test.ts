import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { conditionOf, Event } from '@vireo/api';
import type { Interface } from '@vireo/api/kinds/kubevirt/interface.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { memlockBytes, memoryOverheadBytes, registerHypervisor } from '@vireo/hypervisor';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assemble, code } from './guestImage/machineCode.ts';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { bootSectorVm } from './testing/vms.ts';

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
