import type { FieldError } from '@vireo/api';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineInstanceSpec } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceSpec.ts';
import { architectureOf } from '../architecture.ts';
import type { ClusterConfig } from '../clusterConfig.ts';
import { applyVmiSpecDefaults } from '../defaults/index.ts';
import { PluginHookError } from '../hookError.ts';
import { resolveAdmission } from '../registries.ts';
import { architecture } from './architecture.ts';
import { cpu } from './cpu.ts';
import { accessCredentials } from './credentials.ts';
import { evictionStrategy, inputs, ioThreads, otherDevices } from './devices.ts';
import { disks, disksAndVolumes } from './disks.ts';
import { dns } from './dns.ts';
import { draDevices, draNetworks } from './dra.ts';
import { acpiTables, firmware, machineType } from './firmware.ts';
import { hostname } from './hostname.ts';
import { hyperv } from './hyperv.ts';
import { interfaces } from './interfaces.ts';
import { launchSecurity } from './launchSecurity.ts';
import { memory, memoryRequired } from './memory.ts';
import { metadata } from './metadata.ts';
import { networks } from './networks.ts';
import { probes } from './probes.ts';
import type { Rule } from './rule.ts';
import { scheduling } from './scheduling.ts';
import { vmRules } from './vm.ts';
import { unusedVolumes, volumes } from './volumes.ts';

export { RESERVED_LABELS } from './metadata.ts';
export { memoryHotplugProblem } from './vm.ts';

/** The order in which violations are listed; clients show the first ten. */
const RULES: readonly Rule[] = [
  hostname,
  memory,
  machineType,
  acpiTables,
  cpu,
  scheduling,
  networks,
  interfaces,
  draNetworks,
  disksAndVolumes,
  inputs,
  ioThreads,
  probes,
  disks,
  firmware,
  volumes,
  accessCredentials,
  dns,
  evictionStrategy,
  otherDevices,
  draDevices,
  launchSecurity,
];

/** What a VMI must obey and a template need not: the VMI is about to run. */
const VMI_RULES: readonly Rule[] = [unusedVolumes, memoryRequired];

/** KubeVirt lists these after what is wrong with the metadata of a VMI. */
const LAST_RULES: readonly Rule[] = [hyperv, architecture];

export interface ValidationOptions {
  /** The request comes from one of KubeVirt's own service accounts. */
  readonly isSystem?: boolean;
}

/** What is wrong with a new VMI, after defaults. Messages are KubeVirt's. */
export function validateVmi(
  vmi: VirtualMachineInstance,
  config: ClusterConfig,
  { isSystem = false }: ValidationOptions = {},
): FieldError[] {
  const subject = { spec: vmi.spec, path: 'spec', config };
  return [
    ...[...RULES, ...VMI_RULES].flatMap((rule) => rule(subject)),
    ...metadata(vmi.metadata, config, isSystem),
    ...LAST_RULES.flatMap((rule) => rule(subject)),
    ...ofHypervisor(vmi.spec, 'spec', config),
  ];
}

/** What is wrong with a template of VMIs, such as that of a VM or a replica set. */
export function validateVmiSpec(spec: VirtualMachineInstanceSpec, path: string, config: ClusterConfig): FieldError[] {
  const subject = { spec, path, config };
  return [...[...RULES, ...LAST_RULES].flatMap((rule) => rule(subject)), ...ofHypervisor(spec, path, config)];
}

/** What is wrong with a VM; one that is being deleted is let through, so that it can go. */
export function validateVm(vm: VirtualMachine, config: ClusterConfig): FieldError[] {
  if (vm.metadata?.deletionTimestamp) return [];
  const template = vm.spec.template?.spec;
  if (!template) {
    return [{ type: 'FieldValueRequired', field: 'spec.template', text: 'missing virtual machine template.' }];
  }
  return [...validateVmiSpec(template, 'spec.template.spec', config), ...vmRules(vm, config)];
}

/** What is wrong where the VMIs of a template would have no memory: nothing but an edit of the template helps. */
export function missingMemory(spec: VirtualMachineInstanceSpec, path: string, config: ClusterConfig): FieldError[] {
  const filled = applyVmiSpecDefaults(spec, config);
  return memoryRequired({ spec: filled, path, config });
}

function ofHypervisor(spec: VirtualMachineInstanceSpec, path: string, config: ClusterConfig): FieldError[] {
  try {
    return resolveAdmission(config, architectureOf(spec, config))?.validate?.(spec, path, config) ?? [];
  } catch (error) {
    // Nobody knows whether the hypervisor could run it; who changes something else must not wait for that.
    if (!(error instanceof PluginHookError)) throw error;
    return [{ type: 'InternalError', field: path, text: `${path} cannot be checked: ${error.message}` }];
  }
}

/** The message of the admission answer: up to ten violations, and how many more there are. */
export function summary(errors: readonly FieldError[]): string {
  const shown = errors.slice(0, 10).map(({ text }) => text);
  const more = errors.length - shown.length;
  return more > 0 ? `${shown.join(', ')}, and ${more} more validation errors` : shown.join(', ');
}
