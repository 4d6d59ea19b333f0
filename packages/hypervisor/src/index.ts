export * from './architecture.ts';
export * from './clusterConfig.ts';
export type * from './contracts.ts';
export * from './convert/index.ts';
export * from './dedicatedCpus.ts';
export * from './defaults/index.ts';
export * from './devices.ts';
export * from './guestLimits.ts';
export { PluginHookError } from './hookError.ts';
export * from './hostTopology.ts';
export * from './instancetype/index.ts';
export * from './labels.ts';
export * from './memlock.ts';
export * from './migrationSelector.ts';
export * from './nodeSelector.ts';
export * from './overhead.ts';
export * from './presets.ts';
export {
  canonicalHypervisor,
  DEFAULT_HYPERVISOR,
  effectiveHypervisor,
  hypervisorNames,
  hypervisorOf,
  knownHypervisors,
  registerHypervisor,
  registries,
  resolveConverter,
  resolveLabeller,
  resolveRuntime,
} from './registries.ts';
export * from './resources.ts';
export { SIMULATED_TAINT } from './stub/index.ts';
export * from './validation/index.ts';
