import { afterAll, describe, expect, it } from 'vitest';
import { useVms } from './fixture.ts';

const { kubectl, vireo, untilStatus, create, clear, uidOf, untilReplaced } = useVms();
afterAll(clear, 120_000);

/** A VM of the boot-sector guest that leaves its size and its devices to others. */
const typed = (name: string, instancetype: string, preference: string, domain: object = {}): string =>
  JSON.stringify({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name },
    spec: {
      runStrategy: 'Always',
      instancetype: { name: instancetype },
      preference: { name: preference },
      template: {
        spec: {
          domain: { devices: {}, ...domain },
          volumes: [{ name: 'root', containerDisk: { image: 'vireo/boot-sector' } }],
        },
      },
    },
  });

const memoryOf = (kind: 'vm' | 'vmi', name: string): Promise<string> => {
  const at = kind === 'vm' ? '.spec.template.spec' : '.spec';
  return kubectl.run(`get ${kind} ${name} -o jsonpath={${at}.domain.memory.guest}`).then(({ stdout }) => stdout);
};

describe('instance types and preferences', () => {
  it('are there from the start, for everybody', async () => {
    expect(await kubectl('get vmclusterinstancetype u1.nano -o jsonpath={.spec.memory.guest}')).toBe('512Mi');
    expect(await kubectl('get vmcp linux windows.11 -o name')).toBe(
      [
        'virtualmachineclusterpreference.instancetype.kubevirt.io/linux',
        'virtualmachineclusterpreference.instancetype.kubevirt.io/windows.11',
      ].join('\n'),
    );
    expect(await kubectl('auth can-i list vmclusterinstancetypes --as=jane')).toContain('yes');
  });

  it('make a VM of one that says nothing itself', async () => {
    await create(typed('nano', 'u1.nano', 'linux'));
    await untilStatus('nano', 'Running');
    expect(await memoryOf('vmi', 'nano')).toBe('512Mi');
    expect(await memoryOf('vm', 'nano')).toBe('');
    const bus = 'get vmi nano -o jsonpath={.spec.domain.devices.disks[0].disk.bus}';
    expect((await kubectl.run(bus)).stdout).toBe('virtio');
    await kubectl.until('logs -l vm.kubevirt.io/name=nano --tail=-1', /vireo: boot sector ready/);
  }, 120_000);

  it('are written out on request', async () => {
    const path = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/nano/expand-spec';
    const { spec } = await kubectl.json<{ spec: { template: { spec: { domain: object } } } }>(`get --raw ${path}`);
    expect(spec).not.toHaveProperty('instancetype');
    expect(spec.template.spec.domain).toMatchObject({ cpu: { sockets: 1 }, memory: { guest: '512Mi' } });
  });

  it('are not to be contradicted', async () => {
    const input = typed('stubborn', 'u1.nano', 'linux', { memory: { guest: '64Mi' } });
    expect(await kubectl('apply -f -', { input })).toContain(
      'VM field(s) spec.template.spec.domain.memory.guest conflicts with selected instance type',
    );
    expect(await kubectl('apply -f -', { input: typed('small', 'u1.nano', 'windows.11') })).toContain(
      'insufficient CPU resources of 1 vCPU provided by instance type, preference requires 2 vCPU',
    );
  });

  it('may come after the VM that names them', async () => {
    const missing = 'virtualmachineclusterinstancetypes.instancetype.kubevirt.io "u1.none" not found';
    const { stdout, stderr } = await kubectl.run('apply -f -', { input: typed('lost', 'u1.none', 'linux') });
    expect(stdout).toContain('virtualmachine.kubevirt.io/lost created');
    expect(stderr).toContain(`Warning: spec.instancetype: ${missing}. The virtual machine can start once it exists.`);
    await kubectl.until(
      `get vm lost -o jsonpath='{.status.conditions[?(@.type=="Failure")].message}'`,
      new RegExp(missing.replaceAll('.', '\\.')),
    );
  });

  it('stay for a VM what they were when it first had them', async () => {
    const mine = (memory: string): string =>
      JSON.stringify({
        apiVersion: 'instancetype.kubevirt.io/v1beta1',
        kind: 'VirtualMachineClusterInstancetype',
        metadata: { name: 'mine' },
        spec: { cpu: { guest: 1 }, memory: { guest: memory } },
      });
    await create(mine('64Mi'));
    // The preferences that come along are for guests that need more.
    await create(
      JSON.stringify({
        apiVersion: 'instancetype.kubevirt.io/v1beta1',
        kind: 'VirtualMachineClusterPreference',
        metadata: { name: 'frugal' },
        spec: { devices: { preferredDiskBus: 'virtio' } },
      }),
      typed('steady', 'mine', 'frugal'),
    );
    await untilStatus('steady', 'Running');
    await create(mine('96Mi'));
    const uid = await uidOf('steady');
    expect(await vireo('restart steady')).toBe('VM steady was scheduled to restart');
    await untilReplaced('steady', uid);
    expect(await memoryOf('vmi', 'steady')).toBe('64Mi');
  }, 120_000);
});
