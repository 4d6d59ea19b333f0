export * from './architecture.ts';
export * from './clusterConfig.ts';
export type * from './contracts.ts';
export * from './convert/index.ts';
export * from './devices.ts';
export * from './labels.ts';
export * from './overhead.ts';
export { registerHypervisor, registries, resolveLabeller, resolveRuntime } from './registries.ts';
