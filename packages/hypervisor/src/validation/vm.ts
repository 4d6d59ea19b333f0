import { type FieldError, fieldError } from '@vireo/api';
import { RUN_STRATEGIES } from '@vireo/api/kinds/kubevirt/names.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
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

/** A VM whose memory can be hotplugged starts with less than `maxGuest`. */
function memoryHotplug({ spec }: VirtualMachine, config: ClusterConfig): FieldError[] {
  const domain = spec.template?.spec?.domain;
  if (config.rolloutStrategy !== 'LiveUpdate' || !domain) return [];
  const field = 'spec.template.spec.domain.memory.guest';
  const [guest, most] = [bytesOf(domain.memory?.guest), bytesOf(domain.memory?.maxGuest)];
  if (most === undefined) return [];
  return [
    ...when(guest === undefined, field, 'Guest memory must be configured when memory hotplug is enabled'),
    ...when(guest !== undefined && guest > most, field, 'Guest memory is greater than the configured maxGuest memory'),
    ...when(
      guest !== undefined && guest < 1024n ** 3n,
      field,
      'Memory hotplug is only available for VMs with at least 1Gi of guest memory',
    ),
  ];
}
