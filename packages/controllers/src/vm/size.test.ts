import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { clusterConfig } from '@vireo/hypervisor';
import { describe, expect, it } from 'vitest';
import { vmiWith, vmWith } from '../testing/objects.ts';
import { decideSize, withoutSize } from './size.ts';

type Domain = Vmi['spec']['domain'];

const NOW = new Date('2026-01-01T00:00:00Z');
const config = clusterConfig(undefined);

/** A guest with a socket of two cores and 1 GiB, which can grow to four sockets and 4 GiB. */
const running = (domain: Partial<Domain> = {}, status: VmiStatus = {}): Vmi =>
  vmiWith(
    {
      phase: 'Running',
      currentCPUTopology: { sockets: 1, cores: 2, threads: 1 },
      memory: { guestAtBoot: '1Gi', guestCurrent: '1Gi', guestRequested: '1Gi' },
      ...status,
    },
    {},
    {
      architecture: 'amd64',
      domain: {
        devices: {},
        cpu: { sockets: 1, cores: 2, threads: 1, maxSockets: 4 },
        memory: { guest: '1Gi', maxGuest: '4Gi' },
        ...domain,
      },
    },
  );
const wanting = (domain: Partial<Domain>): Vm['spec'] =>
  vmWith({ template: { spec: { domain: { devices: {}, ...domain } } } }).spec;
const decided = (domain: Partial<Domain>, vmi: Vmi = running()) => decideSize(wanting(domain), vmi, config, NOW);

describe('a running VM', () => {
  it.each<[string, Partial<Domain>, Partial<Domain>, string[]]>([
    ['gets sockets', { cpu: { sockets: 3, cores: 2 } }, { cpu: { sockets: 3 } }, ['HotVCPUChange']],
    ['gets memory', { memory: { guest: '1152Mi' } }, { memory: { guest: '1152Mi' } }, ['HotMemoryChange']],
    [
      'gets both at once',
      { cpu: { sockets: 2, cores: 2 }, memory: { guest: '2Gi' } },
      { cpu: { sockets: 2 }, memory: { guest: '2Gi' } },
      ['HotVCPUChange', 'HotMemoryChange'],
    ],
  ])('%s', (_, wanted, patched, conditions) => {
    const { patch } = decided(wanted) as { patch: { spec: object; status: { conditions: { type: string }[] } } };
    expect(patch.spec).toMatchObject({ domain: patched });
    expect(patch.status.conditions.map(({ type }) => type)).toEqual(conditions);
  });

  it('requests more where its template says what it requests', () => {
    const resources = { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '2Gi' } };
    const { patch } = decided(
      { cpu: { sockets: 2, cores: 2 }, memory: { guest: '1536Mi' }, resources },
      running({ resources }),
    );
    expect(patch?.spec).toMatchObject({
      domain: { resources: { requests: { cpu: '2500m', memory: '1536Mi' }, limits: { memory: '2560Mi' } } },
    });
  });

  it('takes back what its guest has not got yet', () => {
    const waiting = running(
      { cpu: { sockets: 4, cores: 2, maxSockets: 4 }, memory: { guest: '2Gi', maxGuest: '4Gi' } },
      { conditions: ['HotVCPUChange', 'HotMemoryChange'].map((type) => ({ type, status: 'True' })) },
    );
    const { patch } = decided({ cpu: { sockets: 1, cores: 2 }, memory: { guest: '1Gi' } }, waiting);
    expect(patch).toMatchObject({
      spec: { domain: { cpu: { sockets: 1 }, memory: { guest: '1Gi' } } },
      status: { conditions: [{ reason: 'Released' }, { reason: 'Released' }] },
    });
  });

  it.each<[string, Partial<Domain>, Vmi?]>([
    ['that says nothing of its CPUs', {}],
    ['with the same amounts in other words', { cpu: { cores: 2 }, memory: { guest: '1024Mi' } }],
    ['that has not started', { cpu: { sockets: 3, cores: 2 } }, running({}, { phase: 'Scheduled' })],
  ])('%s stays as it is', (_, wanted, vmi) => {
    expect(decided(wanted, vmi)).toEqual({});
  });

  it.each<[string, Partial<Domain>, Vmi?]>([
    ['Reduction of CPU socket count requires a restart', { cpu: { cores: 2 } }, grownTo(3)],
    ["CPU sockets updated in template spec to a value higher than what's available", { cpu: { sockets: 5, cores: 2 } }],
    ['memory updated in template spec to a value lower than what the VM started with', { memory: { guest: '512Mi' } }],
    ["memory updated in template spec to a value higher than what's available", { memory: { guest: '5Gi' } }],
    ['memory hotplug not supported, Guest memory must be 2Mi aligned', { memory: { guest: '1025Mi' } }],
    [
      'memory updated in template spec. Memory-hotplug is not available for this VM configuration',
      { memory: { guest: '2Gi' } },
      running({ memory: { guest: '1Gi' } }),
    ],
    [
      'memory updated in template spec. Memory-hotplug failed and is not available for this VM configuration',
      { memory: { guest: '2Gi' } },
      running({}, { conditions: [{ type: 'HotMemoryChange', status: 'False', reason: 'Memory Hotplug Failed' }] }),
    ],
  ])('needs a restart: %s', (restart, wanted, vmi) => {
    expect(decided(wanted, vmi)).toEqual({ restart });
  });

  it.each([
    ['HotPlugCPUError', 'CPU hotplug is not allowed while VMI is migrating', { cpu: { sockets: 2, cores: 2 } }],
    ['HotPlugMemoryError', 'memory hotplug is not allowed while VMI is migrating', { memory: { guest: '2Gi' } }],
  ])('waits for its migration: %s', (reason, message, wanted) => {
    const moving = running({}, { migrationState: { migrationUid: 'm' } });
    expect(decided(wanted, moving)).toEqual({ failure: { type: 'Failure', status: 'True', reason, message } });
  });
});

function grownTo(sockets: number): Vmi {
  const cpu = { sockets, cores: 2, threads: 1 };
  return running({ cpu: { ...cpu, maxSockets: 4 } }, { currentCPUTopology: cpu });
}

it('what can be changed while the guest runs does not count as a change that needs a restart', () => {
  const bare = { domain: { devices: {} } };
  expect(withoutSize({ domain: { devices: {}, cpu: { sockets: 2 }, memory: { guest: '1Gi' } } })).toEqual(bare);
  expect(withoutSize({ domain: { devices: {}, cpu: { sockets: 2, cores: 4 } } })).toEqual({
    domain: { devices: {}, cpu: { cores: 4 } },
  });
});
