import type { DomainSpec } from '@vireo/api/kinds/kubevirt/domain.ts';
import type { Probe } from '@vireo/api/kinds/kubevirt/probe.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { architectureOf, isArchitecture } from '../architecture.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import { readQuantity, vcpuCount } from '../domainSpec.ts';
import { proposeFeatures, proposeTimers } from './features.ts';
import type { DefaultsProvider, Proposal } from './layer.ts';

/** What holds for every hypervisor and every architecture. */
export const baseDefaults: DefaultsProvider = {
  applyVmDefaults: ({ spec }, config) => ({
    spec: {
      template: {
        spec: spec.template?.spec && {
          architecture: architectureOf(spec.template.spec, config),
          domain: { machine: { type: machineType(spec.template.spec, config) } },
        },
      },
    },
  }),
  applyVmiSpecDefaults: (spec, config) => ({
    architecture: architectureOf(spec, config),
    evictionStrategy: config.evictionStrategy,
    domain: {
      machine: { type: machineType(spec, config) },
      cpu: { ...topology(spec.domain), model: config.cpuModel ?? 'host-model' },
      memory: { guest: guestMemory(spec.domain) },
      features: proposeFeatures(spec.domain.features),
      clock: proposeTimers(spec.domain.clock),
      devices: {
        disks: spec.domain.devices?.disks?.map(
          (disk) => (disk.cdrom && { cdrom: { readonly: true, tray: 'closed' } }) || {},
        ),
        inputs: spec.domain.devices?.inputs?.map(() => ({ bus: 'usb', type: 'tablet' })),
      },
      resources: cpuRequest(spec.domain, config),
    },
    livenessProbe: probe(spec.livenessProbe),
    readinessProbe: probe(spec.readinessProbe),
    volumes: spec.volumes?.map(({ containerDisk }) =>
      containerDisk ? { containerDisk: { imagePullPolicy: pullPolicy(containerDisk.image) } } : {},
    ),
  }),
};

function machineType(spec: VirtualMachineInstanceSpec, config: ClusterConfig): string | undefined {
  const architecture = architectureOf(spec, config);
  return isArchitecture(architecture) ? config.architectures[architecture].machineType : undefined;
}

/** One of each unless the user gave any of the three; processors that were asked for count as sockets. */
function topology({ cpu, resources }: DomainSpec): { sockets: number; cores: number; threads: number } {
  const isGiven = cpu?.sockets || cpu?.cores || cpu?.threads;
  return { sockets: isGiven ? 1 : vcpuCount({ resources, devices: {} }), cores: 1, threads: 1 };
}

function guestMemory({ memory, resources }: DomainSpec): string | number | undefined {
  const asked = resources?.requests?.memory ?? resources?.limits?.memory ?? memory?.hugepages?.pageSize;
  return readQuantity(asked) && asked;
}

/** A limit alone is a request as well; else the cluster may have one for everybody. */
function cpuRequest({ resources }: DomainSpec, config: ClusterConfig): Proposal<DomainSpec['resources']> {
  const cpu = resources?.limits?.cpu ?? config.cpuRequest;
  return cpu === undefined ? undefined : { requests: { cpu } };
}

const probe = (given: Probe | undefined): Proposal<Probe> | undefined =>
  given && { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

/** An image whose tag may move is pulled every time. */
export function pullPolicy(image: string): 'Always' | 'IfNotPresent' {
  if (image.includes('@')) return 'IfNotPresent';
  const tag = /:([^:/]*)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}
