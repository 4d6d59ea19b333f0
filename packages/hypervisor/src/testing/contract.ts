import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { describe, expect, it } from 'vitest';
import { ARCHITECTURES, type Architecture } from '../architecture.ts';
import { type ClusterConfig, clusterConfig } from '../clusterConfig.ts';
import { convertDomain } from '../convert/convertDomain.ts';
import { applyVmDefaults, applyVmiDefaults } from '../defaults/index.ts';
import { DEVICE_PREFIX, deviceRequests } from '../devices.ts';
import { hypervisorLabels } from '../labels.ts';
import {
  canonicalHypervisor,
  knownHypervisors,
  resolveConverter,
  resolveLabeller,
  resolveRuntime,
} from '../registries.ts';
import { launcherResources } from '../resources.ts';
import { validateVmi } from '../validation/index.ts';
import { deepFreeze } from './deepFreeze.ts';
import { domainSchemaErrors } from './domainSchema.ts';
import { onNode } from './fixtures.ts';
import { kubevirtWith } from './kubevirt.ts';
import { ordinaryVmi } from './ordinaryVmi.ts';

export interface ContractOptions {
  /** Those that it runs VMIs of; all of them when missing. */
  readonly architectures?: readonly Architecture[];
}

const sources = { randomUuid: () => '6a1a24a1-4061-4607-8bf4-a3963d0c5895', now: '2026-01-02T03:04:05Z' };

/**
 * What every hypervisor keeps to, whoever wrote it. It must be registered before.
 *
 * @example
 * hypervisorContract('sample', { architectures: ['amd64'] });
 */
export function hypervisorContract(name: string, { architectures = ARCHITECTURES }: ContractOptions = {}): void {
  const config: ClusterConfig = clusterConfig(
    kubevirtWith({
      hypervisorConfiguration: { name },
      developerConfiguration: { featureGates: ['ConfigurableHypervisor'] },
    }),
  );
  const finished = (architecture: Architecture): VirtualMachineInstance =>
    applyVmiDefaults(deepFreeze(ordinaryVmi(architecture)), config, sources);

  describe(`the hypervisor ${name}`, () => {
    it('is chosen by each of its names', () => {
      const { aliases = [] } = knownHypervisors().find((hypervisor) => hypervisor.name === name) ?? {};
      expect(config.hypervisor).toBe(name);
      for (const alias of aliases) expect(canonicalHypervisor(alias)).toBe(name);
    });

    it('offers on nodes what its launchers ask for', () => {
      const probed = resolveLabeller(name, false).devices.map(({ device }) => device);
      const asked = resolveRuntime(name, false).deviceRequests.map(({ device }) => device);
      expect(probed).toEqual(expect.arrayContaining(asked));
      for (const device of probed) expect(device).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
    });

    it('names its domains and its nodes', () => {
      expect(resolveConverter(name, false).domainType).toMatch(/^[a-z]+$/);
      const host = { architecture: 'amd64', machineTypes: ['q35'], cpuModels: [], cpuFeatures: [] };
      const labels = hypervisorLabels(name, resolveLabeller(name, false), host);
      expect(labels['hypervisor.node.kubevirt.io/name']).toBe(name);
      for (const value of Object.values(labels)) expect(value).toMatch(/^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/);
    });

    describe.each(architectures)('on %s', (architecture) => {
      it('finishes a VMI once and for all, and keeps what its user said', () => {
        const given = ordinaryVmi(architecture);
        const vmi = finished(architecture);
        expect(applyVmiDefaults(deepFreeze(vmi), config, sources)).toEqual(vmi);
        expect(vmi.spec).toMatchObject({ ...given.spec });
      });

      it('gives a VM nothing that it takes back', () => {
        const vm = deepFreeze({
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachine',
          metadata: { name: 'vm' },
          spec: { runStrategy: 'Always', template: { spec: ordinaryVmi(architecture).spec } },
        });
        const once = applyVmDefaults(vm, config, sources);
        expect(applyVmDefaults(deepFreeze(once), config, sources)).toEqual(once);
      });

      it('accepts what it finished, and changes nothing while it looks', () => {
        expect(validateVmi(deepFreeze(finished(architecture)), config)).toEqual([]);
      });

      it("makes a domain by libvirt's schema, the same one each time", () => {
        const context = onNode({ hypervisor: name, architecture });
        const xml = convertDomain(deepFreeze(finished(architecture)), context);
        expect(domainSchemaErrors(xml)).toBe('');
        expect(convertDomain(finished(architecture), context)).toBe(xml);
        const { domainType } = resolveConverter(name, false, architecture);
        expect(xml).toContain(`<domain type="${domainType}"`);
      });

      it('asks for its devices, and for memory beyond the guest’s', () => {
        const vmi = deepFreeze(finished(architecture));
        const runtime = resolveRuntime(name, false, architecture);
        const overhead = runtime.memoryOverheadBytes(vmi, config);
        expect(overhead).toBeGreaterThanOrEqual(0n);
        const locked = runtime.memlockBytes(vmi, overhead);
        if (locked !== undefined) expect(locked).toBeGreaterThanOrEqual(overhead);
        const { requests, limits } = launcherResources(vmi, config);
        for (const value of [...Object.values(requests), ...Object.values(limits)]) expect(value).toMatch(/^\d/);
        for (const { device, isOptional } of runtime.deviceRequests) {
          const resource = `${DEVICE_PREFIX}${device}`;
          expect(Object.keys(limits).includes(resource)).toBe(!isOptional);
          expect(deviceRequests(vmi, config, new Set([resource]))[resource]).toBe(1);
        }
      });
    });
  });
}
