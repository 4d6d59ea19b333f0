import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clusterConfig } from './clusterConfig.ts';
import { convertDomain } from './convert/convertDomain.ts';
import { ConversionError } from './convert/error.ts';
import { applyVmDefaults, applyVmiDefaults } from './defaults/index.ts';
import { launcherNodeSelector } from './nodeSelector.ts';
import { launcherResources } from './resources.ts';
import { valuesOf } from './testing/arbitrary.ts';
import { deepFreeze } from './testing/deepFreeze.ts';
import { domainSchemaErrors } from './testing/domainSchema.ts';
import { emulated, onNode, vmiWith } from './testing/fixtures.ts';
import { kubevirtWith } from './testing/kubevirt.ts';
import { lost } from './testing/lost.ts';
import { validateVm, validateVmi } from './validation/index.ts';

type Spec = VirtualMachineInstance['spec'];

const specs = valuesOf(VirtualMachineInstanceSpec) as fc.Arbitrary<Spec>;
const vmis = specs.map((spec): VirtualMachineInstance => deepFreeze({ ...vmiWith(), spec }));
/** VMIs that get further: with memory, and on this node's architecture. */
const fitting = vmis.map(
  (vmi): VirtualMachineInstance => ({
    ...vmi,
    spec: { ...vmi.spec, architecture: 'amd64', domain: { ...vmi.spec.domain, memory: { guest: '1Gi' } } },
  }),
);

const plain = clusterConfig(undefined);
const sources = { randomUuid: () => '6a1a24a1-4061-4607-8bf4-a3963d0c5895', now: '2026-01-02T03:04:05Z' };

/** The domain, or the field that stood in its way; anything else that is thrown is a bug. */
function outcome(
  vmi: VirtualMachineInstance,
  context: Parameters<typeof convertDomain>[1],
): { xml?: string; field?: string } {
  try {
    return { xml: convertDomain(vmi, context) };
  } catch (error) {
    if (error instanceof ConversionError) return { field: error.field };
    throw error;
  }
}

describe('any VMI that the schema allows', () => {
  it("becomes a domain by libvirt's schema, or is refused by the name of a field", () => {
    fc.assert(
      fc.property(fc.oneof(vmis, fitting), fc.boolean(), (vmi, useEmulation) => {
        const { xml, field } = outcome(vmi, useEmulation ? emulated() : onNode());
        if (field) expect(field).toMatch(/^(spec|metadata)\.[\w.[\]]+$/);
        else expect(domainSchemaErrors(xml ?? '')).toBe('');
      }),
      { numRuns: 250 },
    );
  });

  it('is often enough converted for that to mean something', () => {
    const sample = fc.sample(fitting, { numRuns: 200, seed: 7 }).map((vmi) => outcome(vmi, emulated()));
    expect(sample.filter(({ xml }) => xml).length).toBeGreaterThan(20);
  });

  it('is defaulted once and for all', () => {
    fc.assert(
      fc.property(vmis, (vmi) => {
        const once = applyVmiDefaults(vmi, plain, sources);
        expect(applyVmiDefaults(once, plain, sources)).toEqual(once);
      }),
      { numRuns: 150 },
    );
  });

  it('keeps what its user said', () => {
    fc.assert(
      fc.property(fitting, (vmi) => {
        const { spec } = applyVmiDefaults(vmi, plain, sources);
        expect(lost(vmi.spec, spec, 'spec')).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('can be looked at by every rule', () => {
    const open = clusterConfig(kubevirtWith({ vmRolloutStrategy: 'Stage' }));
    fc.assert(
      fc.property(vmis, (vmi) => {
        for (const config of [plain, open]) {
          for (const error of validateVmi(vmi, config)) expect([error.field, error.text]).not.toContain('');
          const template = { spec: vmi.spec };
          const vm = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: {}, spec: { template } };
          validateVm(applyVmDefaults(vm, config, sources), config);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('has resources and a node selector', () => {
    fc.assert(
      fc.property(vmis, (vmi) => {
        const { requests, limits } = launcherResources(vmi, plain);
        for (const value of [...Object.values(requests), ...Object.values(limits)]) expect(value).toMatch(/^-?\d/);
        expect(launcherNodeSelector(vmi, plain)['kubevirt.io/schedulable']).toBeDefined();
      }),
      { numRuns: 150 },
    );
  });
});
