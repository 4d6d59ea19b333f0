import { VirtualMachineInstancetype } from '@vireo/api/kinds/instancetype/virtualMachineInstancetype.ts';
import { VirtualMachinePreference } from '@vireo/api/kinds/instancetype/virtualMachinePreference.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { guestless } from '../simulated.ts';
import type { Specs } from '../specs.ts';

/** A step of a JSON patch, below a field of the template. */
interface Operation {
  readonly op: 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
}

/** KubeVirt's tests/hotplug of what changes without a migration. */
export function liveUpdateSpecs(specs: () => Specs): void {
  const vms = () => specs().client.of(VirtualMachine);
  const at = () => ({ namespace: specs().namespace });
  /** Makes a VM that runs. */
  const create = (name: string, spec: Partial<Vmi['spec']> = {}): Promise<unknown> =>
    vms().create({
      metadata: { name, ...at() },
      spec: { runStrategy: 'Always', template: { spec: guestless(name, spec).spec } },
    });
  const start = async (name: string, spec: Partial<Vmi['spec']> = {}): Promise<void> => {
    await create(name, spec);
    await specs().until(() => specs().running(name));
  };
  const patch = (name: string, field: string, operations: readonly Operation[]): Promise<unknown> =>
    vms().patch(
      name,
      operations.map((operation) => ({ ...operation, path: `/spec/template/spec/${field}${operation.path}` })),
      { ...at(), type: 'json' },
    );
  const untilSpec = (name: string, holds: (spec: Vmi['spec']) => void): Promise<void> =>
    specs().until(async () => holds((await specs().vmi(name)).spec));
  const restartRequired = async (name: string): Promise<boolean> =>
    ((await vms().get(name, at())).status?.conditions ?? []).some(
      ({ type, status }) => type === 'RestartRequired' && status === 'True',
    );

  describe('live update', () => {
    it('the node selector of a running VM is added, changed and removed', async () => {
      await start('selected');
      const os = (value: string) => ({ 'kubernetes.io/os': value });
      await patch('selected', 'nodeSelector', [{ op: 'add', path: '', value: os('not-there') }]);
      await untilSpec('selected', ({ nodeSelector }) => expect(nodeSelector).toEqual(os('not-there')));
      await patch('selected', 'nodeSelector', [{ op: 'replace', path: '', value: os('not-there-either') }]);
      await untilSpec('selected', ({ nodeSelector }) => expect(nodeSelector).toEqual(os('not-there-either')));
      await patch('selected', 'nodeSelector', [{ op: 'remove', path: '' }]);
      await untilSpec('selected', ({ nodeSelector }) => expect(nodeSelector ?? {}).toEqual({}));
      expect(await restartRequired('selected')).toBe(false);
    });

    it('the node affinity of a running VM is added, changed and removed', async () => {
      await start('attracted');
      const to = (node: string) => ({
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
            ],
          },
        },
      });
      await patch('attracted', 'affinity', [{ op: 'add', path: '', value: to('nowhere') }]);
      await untilSpec('attracted', ({ affinity }) => expect(affinity).toEqual(to('nowhere')));
      await patch('attracted', 'affinity', [{ op: 'replace', path: '', value: to('elsewhere') }]);
      await untilSpec('attracted', ({ affinity }) => expect(affinity).toEqual(to('elsewhere')));
      await patch('attracted', 'affinity', [{ op: 'remove', path: '' }]);
      await untilSpec('attracted', ({ affinity }) => expect(affinity).toBeUndefined());
      expect(await restartRequired('attracted')).toBe(false);
    });

    it('tolerations of a running VM are added, removed one by one and removed together', async () => {
      await start('tolerant');
      const toleration = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
      const [first, second] = [toleration('first'), toleration('second')];
      await patch('tolerant', 'tolerations', [{ op: 'add', path: '', value: [first] }]);
      await untilSpec('tolerant', ({ tolerations }) => expect(tolerations).toContainEqual(first));
      await patch('tolerant', 'tolerations', [{ op: 'add', path: '/-', value: second }]);
      await untilSpec('tolerant', ({ tolerations }) => expect(tolerations).toEqual([first, second]));
      await patch('tolerant', 'tolerations', [{ op: 'remove', path: '/1' }]);
      await untilSpec('tolerant', ({ tolerations }) => expect(tolerations).not.toContainEqual(second));
      await patch('tolerant', 'tolerations', [{ op: 'remove', path: '' }]);
      await untilSpec('tolerant', ({ tolerations }) => expect(tolerations ?? []).toEqual([]));
      expect(await restartRequired('tolerant')).toBe(false);
    });

    it('a VM with more CPUs than the cluster lets guests grow to starts', async () => {
      await specs().configure({ liveUpdateConfiguration: { maxCpuSockets: 2 } });
      const { domain } = guestless('').spec;
      await create('large', { domain: { ...domain, cpu: { sockets: 3, cores: 1, threads: 1 } } });
      await specs().until(() => specs().vmi('large'));
    });

    it('a VM that requests CPUs and has no topology starts', async () => {
      const { domain } = guestless('').spec;
      await create('requesting', { domain: { ...domain, resources: { requests: { cpu: '5000m' } } } });
      await specs().until(() => specs().vmi('requesting'));
    });

    it('an instance type that does not meet the preference of a running VM any more is rejected', async () => {
      const { client } = specs();
      const size = (guest: number) => ({ cpu: { guest, maxSockets: 4 }, memory: { guest: '128Mi' } });
      for (const [name, guest] of [['two', 2] as const, ['one', 1] as const])
        await client.of(VirtualMachineInstancetype).create({ metadata: { name, ...at() }, spec: size(guest) });
      const requirements = { cpu: { guest: 2 } };
      await client.of(VirtualMachinePreference).create({ metadata: { name: 'two', ...at() }, spec: { requirements } });
      const { memory: _, ...domain } = guestless('').spec.domain;
      await vms().create({
        metadata: { name: 'typed', ...at() },
        spec: {
          runStrategy: 'Always',
          instancetype: { name: 'two', kind: 'VirtualMachineInstancetype' },
          preference: { name: 'two', kind: 'VirtualMachinePreference' },
          template: { spec: { ...guestless('').spec, domain } },
        },
      });
      await specs().until(() => specs().running('typed'));
      const path = '/spec/instancetype/name';
      await expect(
        vms().patch('typed', [{ op: 'replace', path, value: 'one' }], { ...at(), type: 'json' }),
      ).rejects.toThrow('insufficient CPU resources of 1 vCPU provided by instance type, preference requires 2 vCPU');
      expect((await specs().vmi('typed')).spec.domain.cpu?.sockets).toBe(2);
    });

    it('a change of any field requires a restart with the rollout strategy Stage', async () => {
      await specs().configure({ vmRolloutStrategy: 'Stage' });
      const { domain } = guestless('').spec;
      await start('staged', { domain: { ...domain, cpu: { sockets: 1, cores: 2, threads: 1, maxSockets: 2 } } });
      await patch('staged', 'domain', [{ op: 'replace', path: '/cpu/sockets', value: 2 }]);
      await specs().until(async () => expect(await restartRequired('staged')).toBe(true));
      expect((await specs().vmi('staged')).spec.domain.cpu?.sockets).toBe(1);
    });
  });
}
