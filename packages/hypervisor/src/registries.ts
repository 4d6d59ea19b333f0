import { isArchitecture } from './architecture.ts';
import type { Hypervisor, HypervisorAdmission, HypervisorLabeller, HypervisorRuntime } from './contracts.ts';
import type { HypervisorConverter } from './convert/conversion.ts';
import { amd64Defaults } from './defaults/amd64.ts';
import { arm64Defaults } from './defaults/arm64.ts';
import { baseDefaults } from './defaults/base.ts';
import type { DefaultsProvider } from './defaults/layer.ts';
import { s390xDefaults } from './defaults/s390x.ts';
import { hypervLayered } from './hypervLayered/index.ts';
import { kvm } from './kvm/index.ts';
import { qemu } from './qemu/index.ts';
import { createRegistry, type Registry } from './registry.ts';
import { stub } from './stub/index.ts';

/** The five registries. Every lookup of the project goes through one of them. */
export const registries = {
  defaults: createRegistry<DefaultsProvider>('defaults provider'),
  runtime: createRegistry<HypervisorRuntime>('runtime'),
  converter: createRegistry<HypervisorConverter>('converter'),
  admission: createRegistry<HypervisorAdmission>('admission'),
  labeller: createRegistry<HypervisorLabeller>('labeller'),
};

/** What runs VMIs where nobody says otherwise, and what stands in for a hypervisor that nobody registered. */
export const DEFAULT_HYPERVISOR = 'kvm';

const NAME = /^[a-z][a-z0-9-]{0,62}$/;

/** Every hypervisor by its own name, in order of registration. */
const known = new Map<string, Hypervisor>();

/** Adds a hypervisor, all of it or nothing; the function that is returned takes it out again. */
export function registerHypervisor(hypervisor: Hypervisor): () => void {
  const { name, aliases = [], defaults = {} } = hypervisor;
  for (const each of [name, ...aliases]) {
    if (!NAME.test(each)) throw new Error(`${JSON.stringify(each)} is not a valid hypervisor name`);
    // Architectures have keys of their own in every registry.
    if (isArchitecture(each)) throw new Error(`${JSON.stringify(each)} is an architecture, not a hypervisor name`);
    if (canonicalHypervisor(each)) throw new Error(`hypervisor "${each}" is already registered`);
  }
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
    add(registries.runtime, name, hypervisor.runtime);
    add(registries.converter, name, hypervisor.converter);
    add(registries.admission, name, hypervisor.admission);
    add(registries.labeller, name, hypervisor.labeller);
    for (const registry of Object.values(registries)) {
      for (const alias of aliases) {
        registry.alias(alias, name);
        undo.push(() => registry.unalias(alias));
      }
    }
    known.set(name, hypervisor);
    undo.push(() => known.delete(name));
  } catch (error) {
    remove();
    throw error;
  }
  return remove;
}

/** Every hypervisor there is. */
export const knownHypervisors = (): Hypervisor[] => [...known.values()];

/** Every name that settings may use: those of hypervisors, and after each its aliases. */
export const hypervisorNames = (): string[] =>
  knownHypervisors().flatMap(({ name, aliases = [] }) => [name, ...aliases]);

/** A hypervisor's own name for any of its names; nothing for a name that nobody registered. */
export const canonicalHypervisor = (name: string): string | undefined =>
  known.has(name) ? name : knownHypervisors().find(({ aliases = [] }) => aliases.includes(name))?.name;

/** The hypervisor that really runs the guest: emulation is one of its own, and an unknown name means kvm. */
export function effectiveHypervisor(name: string, useEmulation: boolean): string {
  const canonical = canonicalHypervisor(name) ?? DEFAULT_HYPERVISOR;
  return (useEmulation && known.get(canonical)?.emulator) || canonical;
}

interface Choice {
  readonly hypervisor: string;
  readonly useEmulation: boolean;
}

/** The hypervisor that really runs a cluster's guests. */
export const hypervisorOf = ({ hypervisor, useEmulation }: Choice): string =>
  effectiveHypervisor(hypervisor, useEmulation);

/** What a hypervisor registered for a contract; kvm's where it left the contract out. */
function resolve<T>(registry: Registry<T>, name: string, useEmulation: boolean, architecture?: string): T {
  const found = registry.resolve(effectiveHypervisor(name, useEmulation), architecture);
  return (found ?? registry.resolve(DEFAULT_HYPERVISOR))!;
}

export const resolveConverter = (name: string, useEmulation: boolean, architecture?: string): HypervisorConverter =>
  resolve(registries.converter, name, useEmulation, architecture);

export const resolveRuntime = (name: string, useEmulation: boolean, architecture?: string): HypervisorRuntime =>
  resolve(registries.runtime, name, useEmulation, architecture);

export const resolveLabeller = (name: string, useEmulation: boolean, architecture?: string): HypervisorLabeller =>
  resolve(registries.labeller, name, useEmulation, architecture);

/** What the active hypervisor adds to admission; most add nothing. */
export const resolveAdmission = (choice: Choice, architecture: string): HypervisorAdmission | undefined =>
  registries.admission.resolve(hypervisorOf(choice), architecture);

registries.defaults.register('', baseDefaults);
registries.defaults.register('amd64', amd64Defaults);
registries.defaults.register('arm64', arm64Defaults);
registries.defaults.register('s390x', s390xDefaults);
for (const hypervisor of [kvm, qemu, hypervLayered, stub]) registerHypervisor(hypervisor);
