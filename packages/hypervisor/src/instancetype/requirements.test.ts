import type { VirtualMachineInstancetypeSpec } from '@vireo/api/kinds/instancetype/instancetypeSpec.ts';
import type { VirtualMachinePreferenceSpec } from '@vireo/api/kinds/instancetype/preferenceSpec.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { describe, expect, it } from 'vitest';
import { unmetRequirements } from './requirements.ts';

type Domain = Partial<VirtualMachineInstanceSpec['domain']>;

const needs = (
  requirements: VirtualMachinePreferenceSpec['requirements'],
  cpu?: VirtualMachinePreferenceSpec['cpu'],
) => ({
  requirements,
  ...(cpu && { cpu }),
});
const small: VirtualMachineInstancetypeSpec = { cpu: { guest: 1 }, memory: { guest: '512Mi' } };
const CPU = 'spec.template.spec.domain.cpu';

function unmet(
  domain: Domain,
  preference: VirtualMachinePreferenceSpec | undefined,
  type?: VirtualMachineInstancetypeSpec,
): string[] {
  const spec = { architecture: 'amd64', domain: { ...domain, devices: {} } };
  return unmetRequirements(spec, type, preference).map(
    ({ field, text }) => `${field}: ${text.replace('failure checking preference requirements: ', '')}`,
  );
}

describe('what a preference needs', () => {
  it('is nothing when it says so', () => {
    expect(unmet({}, undefined)).toEqual([]);
    expect(unmet({}, { requirements: {} })).toEqual([]);
  });

  it.each<[Domain, VirtualMachinePreferenceSpec, string | undefined]>([
    [
      {},
      needs({ cpu: { guest: 2 } }),
      `${CPU}: no CPU resources provided by VirtualMachine, preference requires 2 vCPU`,
    ],
    [
      { cpu: { cores: 2 } },
      needs({ cpu: { guest: 2 } }),
      `${CPU}.sockets: insufficient CPU resources of 1 vCPU provided by VirtualMachine, preference requires 2 vCPU provided as sockets`,
    ],
    [{ cpu: { sockets: 2 } }, needs({ cpu: { guest: 2 } }), undefined],
    [{ cpu: { cores: 2 } }, needs({ cpu: { guest: 2 } }, { preferredCPUTopology: 'cores' }), undefined],
    [
      { cpu: { threads: 1 } },
      needs({ cpu: { guest: 2 } }, { preferredCPUTopology: 'preferThreads' }),
      `${CPU}.threads: insufficient CPU resources of 1 vCPU provided by VirtualMachine, preference requires 2 vCPU provided as threads`,
    ],
    [{ cpu: { cores: 2, threads: 2 } }, needs({ cpu: { guest: 4 } }, { preferredCPUTopology: 'any' }), undefined],
    [{ cpu: { sockets: 2, cores: 2 } }, needs({ cpu: { guest: 4 } }, { preferredCPUTopology: 'spread' }), undefined],
    [
      { cpu: { sockets: 4, cores: 1 } },
      needs({ cpu: { guest: 4 } }, { preferredCPUTopology: 'spread', spreadOptions: { across: 'CoresThreads' } }),
      `${CPU}.cores, ${CPU}.threads: insufficient CPU resources of 1 vCPU provided by VirtualMachine, preference requires 4 vCPU provided as CoresThreads`,
    ],
    [
      { memory: { guest: '1Gi' } },
      needs({ memory: { guest: '2Gi' } }),
      'spec.template.spec.domain.memory: insufficient Memory resources of 1Gi provided by VirtualMachine, preference requires 2Gi',
    ],
    [{ memory: { guest: '2048Mi' } }, needs({ memory: { guest: '2Gi' } }), undefined],
    [{ resources: { requests: { memory: '2Gi' } } }, needs({ memory: { guest: '2Gi' } }), undefined],
    [
      {},
      needs({ architecture: 'arm64' }),
      'spec.template.spec.architecture: preference requires architecture arm64 but amd64 is being requested',
    ],
    [{}, needs({ architecture: 'amd64' }), undefined],
  ])('of %j: %j', (domain, preference, expected) => {
    expect(unmet(domain, preference)).toEqual(expected ? [expected] : []);
  });

  it('is asked of the instance type where there is one', () => {
    const preference = needs({ cpu: { guest: 2 }, memory: { guest: '1Gi' } });
    expect(unmet({}, preference, small)).toEqual([
      'spec.instancetype: insufficient CPU resources of 1 vCPU provided by instance type, preference requires 2 vCPU',
      'spec.instancetype: insufficient Memory resources of 512Mi provided by instance type, preference requires 1Gi',
    ]);
    expect(unmet({}, preference, { cpu: { guest: 2 }, memory: { guest: '1Gi' } })).toEqual([]);
  });
});
