import { isArchitecture } from '../architecture.ts';
import type { Hypervisor } from '../contracts.ts';
import { PluginHookError } from '../hookError.ts';
import { canonicalHypervisor, registerHypervisor, registries } from '../registries.ts';
import type { Registry } from '../registry.ts';
import { checkOf } from './checks.ts';
import { PluginProblem } from './list.ts';
import { contractProblems, shapeProblems } from './shape.ts';
import type { PluginThread } from './thread.ts';
import { type Mark, type Registration, unpack } from './wire.ts';

/** The registrations of one package: kept together, or taken back together. */
export interface Registrations {
  readonly hypervisors: readonly string[];
  undo(): void;
}

/** Registers what a package brings, all of it or nothing. Its functions are asked in its own thread, and their answers checked. */
export function registerAll(plugin: string, registered: readonly Registration[], thread: PluginThread): Registrations {
  const remoteFunction = toRemoteFunction(plugin, thread);
  const steps: (() => void)[] = [];
  const hypervisors: string[] = [];
  const undo = (): void => {
    for (const step of steps.splice(0).reverse()) step();
    hypervisors.length = 0;
  };
  try {
    for (const registration of registered) {
      if (registration.type === 'hypervisor') {
        const hypervisor = unpack(registration.value, remoteFunction) as Hypervisor;
        refuse(shapeProblems(hypervisor));
        refuse(emulatorProblems(hypervisor));
        steps.push(registerHypervisor(hypervisor));
        hypervisors.push(hypervisor.name);
        continue;
      }
      const { contract, key, value } = registration;
      const registry = registries[contract as keyof typeof registries] as Registry<unknown>;
      const implementation = unpack(value, remoteFunction, contract);
      refuse(keyProblems(key, hypervisors));
      refuse(contractProblems(contract as keyof typeof registries, implementation));
      registry.register(key, implementation);
      steps.push(() => registry.unregister(key));
    }
  } catch (error) {
    undo();
    throw error;
  }
  return { hypervisors, undo };
}

function refuse([wrong]: readonly string[]): void {
  if (wrong !== undefined) throw new PluginProblem(wrong);
}

/** What stands in for it where the cluster emulates has to be there. */
const emulatorProblems = ({ name, emulator }: Hypervisor): string[] =>
  emulator === undefined || canonicalHypervisor(emulator)
    ? []
    : [`hypervisor.emulator: unknown hypervisor ${JSON.stringify(emulator)} as the emulator of "${name}"`];

/** A package speaks for its own hypervisors, on all architectures or on one. */
function keyProblems(key: string, own: readonly string[]): string[] {
  const [hypervisor = '', architecture, ...rest] = key.split('/');
  if (!own.includes(hypervisor))
    return [
      `registers ${JSON.stringify(key)}: a package may register for its own hypervisors only (${own.join(', ')})`,
    ];
  return rest.length > 0 || (architecture !== undefined && !isArchitecture(architecture))
    ? [`registers ${JSON.stringify(key)}: it must look like ${hypervisor} or ${hypervisor}/amd64`]
    : [];
}

/** Makes a function that calls the one in the plug-in's thread and checks what that returns. */
const toRemoteFunction =
  (plugin: string, thread: PluginThread) =>
  (mark: Mark, path: string): ((...args: unknown[]) => unknown) => {
    const id = mark.get('fn') as number;
    const proxy = (...args: unknown[]): unknown => {
      const returned = unpack(thread.call(id, path, args), () => undefined);
      const problem = checkOf(path)(returned, args);
      if (problem !== undefined) throw new PluginHookError(`hypervisor plug-in ${plugin}: ${path} ${problem}`);
      return returned;
    };
    thread.remember(proxy, id);
    return proxy;
  };
