import { DEPRECATED_TOPOLOGIES, TOPOLOGIES } from '@vireo/api/kinds/instancetype/topologies.ts';
import { Failure } from '../../../failure.ts';
import { randomSuffix } from './manifest.ts';
import { flagError, quantity, readParams } from './params.ts';
import { DEVICE_SHAPE } from './shapes.ts';

const GROUP = 'instancetype.kubevirt.io/v1beta1';

interface Named {
  readonly name?: string;
  readonly namespace?: string;
  readonly namespaced?: boolean;
}

export interface InstancetypeOptions extends Named {
  readonly cpu: number;
  readonly memory: string;
  readonly gpu?: readonly string[];
  readonly hostdevice?: readonly string[];
  readonly iothreadspolicy?: string;
}

/** An instancetype: cluster-wide, unless a namespace is meant. */
export function instancetypeManifest(options: InstancetypeOptions): Readonly<Record<string, unknown>> {
  const { cpu, memory, gpu = [], hostdevice = [], iothreadspolicy } = options;
  quantity(memory, (why) => new Failure(why));
  if (cpu <= 0) throw new Failure('cpu value must be greater than zero');
  if (iothreadspolicy !== undefined && !['auto', 'shared'].includes(iothreadspolicy))
    throw flagError('iothreadspolicy', 'IOThread must be of value auto or shared');
  return {
    ...identity('Instancetype', options),
    spec: {
      cpu: { guest: cpu },
      memory: { guest: memory },
      gpus: devices('gpu', gpu),
      hostDevices: devices('hostdevice', hostdevice),
      ioThreadsPolicy: iothreadspolicy,
    },
  };
}

function devices(flag: string, texts: readonly string[]): object[] | undefined {
  if (texts.length === 0) return undefined;
  return texts.map((text) => {
    const { name, devicename } = readParams(flag, text, DEVICE_SHAPE);
    if (!name) throw flagError(flag, 'name must be specified');
    if (!devicename) throw flagError(flag, 'deviceName must be specified');
    return { name, deviceName: devicename };
  });
}

export interface PreferenceOptions extends Named {
  readonly machineType?: string;
  readonly cpuTopology?: string;
  readonly volumeStorageClass?: string;
}

const CPU_TOPOLOGIES = [...TOPOLOGIES, ...Object.keys(DEPRECATED_TOPOLOGIES)];

/** A preference: cluster-wide, unless a namespace is meant. */
export function preferenceManifest(options: PreferenceOptions): Readonly<Record<string, unknown>> {
  const { machineType, cpuTopology, volumeStorageClass } = options;
  if (cpuTopology !== undefined && !CPU_TOPOLOGIES.includes(cpuTopology))
    throw flagError('cpu-topology', 'CPU topology must have a value of sockets, cores, threads or spread');
  return {
    ...identity('Preference', options),
    spec: {
      cpu: cpuTopology === undefined ? undefined : { preferredCPUTopology: cpuTopology },
      machine: machineType === undefined ? undefined : { preferredMachineType: machineType },
      volumes: volumeStorageClass === undefined ? undefined : { preferredStorageClassName: volumeStorageClass },
    },
  };
}

function identity(kind: 'Instancetype' | 'Preference', { name, namespace, namespaced = false }: Named) {
  const isNamespaced = namespaced || namespace !== undefined;
  const scope = isNamespaced ? '' : 'Cluster';
  return {
    apiVersion: GROUP,
    kind: `VirtualMachine${scope}${kind}`,
    metadata: { name: name ?? `${scope}${kind}-`.toLowerCase() + randomSuffix(), namespace },
  };
}

export interface CloneOptions extends Named {
  readonly sourceName: string;
  readonly sourceType?: string;
  readonly targetName?: string;
  readonly targetType?: string;
  readonly labelFilter?: readonly string[];
  readonly annotationFilter?: readonly string[];
  readonly templateLabelFilter?: readonly string[];
  readonly templateAnnotationFilter?: readonly string[];
  readonly newMacAddress?: readonly string[];
  readonly newSmbiosSerial?: string;
}

/** A clone of a VM or of a snapshot of one. */
export function cloneManifest(options: CloneOptions): Readonly<Record<string, unknown>> {
  const { name, namespace, sourceName, sourceType = 'vm', targetName = '', targetType = 'vm' } = options;
  if (sourceName === '') throw new Failure('source name must not be empty');
  const { templateLabelFilter: labelFilters, templateAnnotationFilter: annotationFilters } = options;
  return {
    apiVersion: 'clone.kubevirt.io/v1beta1',
    kind: 'VirtualMachineClone',
    metadata: { name: name || `clone-${randomSuffix()}`, namespace },
    spec: {
      source: reference('source', sourceType, sourceName),
      target: reference('target', targetType, targetName),
      labelFilters: options.labelFilter,
      annotationFilters: options.annotationFilter,
      template: { labelFilters, annotationFilters },
      newMacAddresses: options.newMacAddress ? macAddresses(options.newMacAddress) : undefined,
      newSMBiosSerial: options.newSmbiosSerial,
    },
  };
}

const CLONE_TYPES = {
  source: { vm: 'VirtualMachine', snapshot: 'VirtualMachineSnapshot', names: 'vm, vmsnapshot' },
  target: { vm: 'VirtualMachine', snapshot: undefined, names: 'vm' },
} as const;

function reference(end: 'source' | 'target', type: string, name: string): object {
  const isVm = ['vm', 'VM', 'VirtualMachine', 'virtualmachine'].includes(type);
  const isSnapshot = ['snapshot', 'VirtualMachineSnapshot', 'vmsnapshot', 'VMSnapshot'].includes(type);
  const kind = isVm ? CLONE_TYPES[end].vm : isSnapshot ? CLONE_TYPES[end].snapshot : undefined;
  if (!kind) throw new Failure(`${end} type ${type} is not supported. Supported types: ${CLONE_TYPES[end].names}`);
  return { apiGroup: isVm ? 'kubevirt.io' : 'snapshot.kubevirt.io', kind, name };
}

/** `interface:address`; an address has dashes here, or colons after the first. */
function macAddresses(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name, address] = text.split(/:(.*)/s);
      if (address === undefined)
        throw new Failure(
          `newMacAddress parameter ${text} is invalid: ':' is expected. For example: 'interface0:address0'`,
        );
      if (!name) throw new Failure(`newMacAddress parameter ${text} has empty interface name`);
      if (!address) throw new Failure(`newMacAddress parameter ${text} has empty address name`);
      return [name, address];
    }),
  );
}
