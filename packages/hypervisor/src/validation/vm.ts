import { type FieldError, fieldError } from '@vireo/api';
import { RUN_STRATEGIES } from '@vireo/api/kinds/kubevirt/names.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { architectureOf } from '../architecture.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import { bytesOf } from '../domainSpec.ts';
import { when } from './rule.ts';

const GATED_STRATEGY = 'WaitAsReceiver';

/** What a VM must obey beyond its template. */
export function vmRules(vm: VirtualMachine, config: ClusterConfig): FieldError[] {
  return [...runStrategy(vm, config), ...dataVolumeTemplates(vm), ...memoryHotplug(vm, config)];
}

function runStrategy({ spec }: VirtualMachine, config: ClusterConfig): FieldError[] {
  const { running, runStrategy: strategy } = spec;
  if (running !== undefined && strategy !== undefined) {
    return [
      fieldError(
        'spec.running',
        'Running and RunStrategy are mutually exclusive. Note that Running is deprecated, please use RunStrategy instead',
      ),
    ];
  }
  if (running !== undefined) return [];
  if (!strategy) return [fieldError('spec.runStrategy', 'RunStrategy must be specified')];
  const isKnown =
    RUN_STRATEGIES.includes(strategy) ||
    (strategy === GATED_STRATEGY && config.gates.has('DecentralizedLiveMigration'));
  return when(!isKnown, 'spec.runStrategy', `Invalid RunStrategy (${strategy})`);
}

function dataVolumeTemplates({ metadata, spec }: VirtualMachine): FieldError[] {
  const volumes = spec.template?.spec?.volumes ?? [];
  const used = new Set(
    volumes.flatMap(({ dataVolume, persistentVolumeClaim }) => [dataVolume?.name, persistentVolumeClaim?.claimName]),
  );
  return (spec.dataVolumeTemplates ?? []).flatMap((template, index) => {
    const field = `spec.dataVolumeTemplates[${index}]`;
    const { name, namespace } = template.metadata ?? {};
    const { pvc, storage } = template.spec ?? {};
    return [
      ...when(
        !name,
        `${field}.name`,
        `'name' field must not be empty for DataVolumeTemplate entry ${field}.`,
        'FieldValueRequired',
      ),
      ...when(!pvc && !storage, field, 'Missing Data volume PVC or Storage', 'FieldValueRequired'),
      ...when(
        pvc && storage,
        field,
        'Duplicate storage definition, both target storage and target pvc defined',
        'FieldValueDuplicate',
      ),
      ...when(
        name && !used.has(name),
        field,
        `DataVolumeTemplate entry ${field} must be referenced in the VMI template's 'volumes' list`,
        'FieldValueRequired',
      ),
      ...when(
        namespace && metadata?.namespace && namespace !== metadata.namespace,
        `${field}.namespace`,
        `Embedded DataVolume namespace ${namespace} differs from VM namespace ${metadata?.namespace}`,
      ),
    ];
  });
}

const GIB = 1024n ** 3n;
const MIB = 1024n ** 2n;

/** A VM whose memory can be hotplugged starts with less than `maxGuest`, and nothing about it needs memory that stays. */
function memoryHotplug({ spec }: VirtualMachine, config: ClusterConfig): FieldError[] {
  const template = spec.template?.spec;
  if (config.rolloutStrategy !== 'LiveUpdate' || template?.domain.memory?.maxGuest === undefined) return [];
  const problem = memoryHotplugProblem(template, config);
  return when(problem, 'spec.template.spec.domain.memory.guest', problem ?? '');
}

/** Why memory cannot be plugged into a guest, in KubeVirt's words for the first thing that is in the way. */
export function memoryHotplugProblem(spec: VirtualMachineInstanceSpec, config: ClusterConfig): string | undefined {
  const { cpu, memory, launchSecurity } = spec.domain;
  const [guest, most] = [bytesOf(memory?.guest), bytesOf(memory?.maxGuest)];
  if (cpu?.realtime) return 'Memory hotplug is not compatible with realtime VMs';
  if (cpu?.numa?.guestMappingPassthrough) return 'Memory hotplug is not compatible with guest mapping passthrough';
  if (launchSecurity) return 'Memory hotplug is not compatible with encrypted VMs';
  if (guest === undefined) return 'Guest memory must be configured when memory hotplug is enabled';
  // A quantity that cannot be read is the schema's to refuse.
  if (most === undefined) return undefined;
  if (guest > most) return 'Guest memory is greater than the configured maxGuest memory';
  const [block, name] = memory?.hugepages?.pageSize === '1Gi' ? [GIB, '1Gi'] : [2n * MIB, '2Mi'];
  if (guest % block !== 0n) return `Guest memory must be ${name} aligned`;
  if (most % block !== 0n) return `MaxGuest must be ${name} aligned`;
  if (architectureOf(spec, config) !== 'amd64') return 'Memory hotplug is only available for x86_64 VMs';
  if (guest < GIB) return 'Memory hotplug is only available for VMs with at least 1Gi of guest memory';
  return undefined;
}
