import type { Hypervisor, HypervisorAdmission, HypervisorLabeller, HypervisorRuntime } from './contracts.ts';
import type { HypervisorConverter } from './convert/conversion.ts';
import { amd64Defaults } from './defaults/amd64.ts';
import { arm64Defaults } from './defaults/arm64.ts';
import { baseDefaults } from './defaults/base.ts';
import type { DefaultsLayer } from './defaults/layer.ts';
import { s390xDefaults } from './defaults/s390x.ts';
import { kvm } from './kvm/index.ts';
import { qemu } from './qemu/index.ts';
import { createRegistry, type Registry } from './registry.ts';

/** The five registries. Every lookup of the project goes through one of them. */
export const registries = {
  defaults: createRegistry<DefaultsLayer>('defaults layer'),
  runtime: createRegistry<HypervisorRuntime>('runtime'),
  converter: createRegistry<HypervisorConverter>('converter'),
  admission: createRegistry<HypervisorAdmission>('admission'),
  labeller: createRegistry<HypervisorLabeller>('labeller'),
};

/** What stands in for a hypervisor that nobody registered. */
const FALLBACK = 'kvm';

/** What runs guests where there is no hardware support. */
const EMULATOR = 'qemu';

/** Adds a hypervisor, all of it or nothing; the function that is returned takes it out again. */
export function registerHypervisor({ name, defaults = {}, ...contracts }: Hypervisor): () => void {
  if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new Error(`${JSON.stringify(name)} is no name for a hypervisor`);
  const undo: (() => void)[] = [];
  const remove = (): void => {
    for (const step of undo.splice(0)) step();
  };
  const add = <T>(registry: Registry<T>, key: string, implementation: T | undefined): void => {
    if (implementation === undefined) return;
    registry.register(key, implementation);
    undo.push(() => registry.unregister(key));
  };
  try {
    for (const [architecture, layer] of Object.entries(defaults)) {
      add(registries.defaults, architecture === '*' ? name : `${name}/${architecture}`, layer);
    }
    add(registries.runtime, name, contracts.runtime);
    add(registries.converter, name, contracts.converter);
    add(registries.admission, name, contracts.admission);
    add(registries.labeller, name, contracts.labeller);
  } catch (error) {
    remove();
    throw error;
  }
  return remove;
}

/** The hypervisor that really runs the guest: emulation is one of its own. */
export const effectiveHypervisor = (name: string, useEmulation: boolean): string => (useEmulation ? EMULATOR : name);

export const resolveConverter = (name: string, useEmulation: boolean): HypervisorConverter =>
  (registries.converter.resolve(effectiveHypervisor(name, useEmulation)) ?? registries.converter.resolve(FALLBACK))!;

export const resolveRuntime = (name: string, useEmulation: boolean): HypervisorRuntime =>
  (registries.runtime.resolve(effectiveHypervisor(name, useEmulation)) ?? registries.runtime.resolve(FALLBACK))!;

export const resolveLabeller = (name: string, useEmulation: boolean): HypervisorLabeller =>
  (registries.labeller.resolve(effectiveHypervisor(name, useEmulation)) ?? registries.labeller.resolve(FALLBACK))!;

registries.defaults.register('', baseDefaults);
registries.defaults.register('amd64', amd64Defaults);
registries.defaults.register('arm64', arm64Defaults);
registries.defaults.register('s390x', s390xDefaults);
registerHypervisor(kvm);
registerHypervisor(qemu);
