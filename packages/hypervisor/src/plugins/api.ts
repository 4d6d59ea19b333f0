import type { Hypervisor } from '../contracts.ts';
import { fillUnset } from '../defaults/layer.ts';
import { lockedBytes, memlockBytes, pinsMemory } from '../memlock.ts';
import { memoryOverheadBytes } from '../overhead.ts';
import { registerHypervisor, registries } from '../registries.ts';
import type { Registry } from '../registry.ts';
import { el } from '../xml.ts';
import { PluginProblem } from './list.ts';
import { shapeProblems } from './shape.ts';

/** Goes up when a plug-in written for an older one would break. */
export const PLUGIN_API_VERSION = 1;

type Contracts = typeof registries;

/** What a package is handed: ways to register, and what hypervisors share, to build on. */
export interface PluginApi {
  readonly apiVersion: number;
  readonly registerHypervisor: (hypervisor: Hypervisor) => void;
  /** Single contracts under keys such as `sample/arm64`. */
  readonly register: { readonly [K in keyof Contracts]: Contracts[K]['register'] };
  readonly memoryOverheadBytes: typeof memoryOverheadBytes;
  readonly memlockBytes: typeof memlockBytes;
  readonly pinsMemory: typeof pinsMemory;
  readonly lockedBytes: typeof lockedBytes;
  readonly fillUnset: typeof fillUnset;
  /** Makes an element of a domain. */
  readonly el: typeof el;
}

/** What a package's default export must be. */
export interface Plugin {
  readonly apiVersion: number;
  readonly register: (api: PluginApi) => void | Promise<void>;
}

/** The registrations of one package: kept together, or taken back together. */
export interface Registrations {
  readonly api: PluginApi;
  readonly hypervisors: readonly string[];
  /** From now on the package registers nothing more. */
  close(): void;
  undo(): void;
}

export function startRegistrations(): Registrations {
  const steps: (() => void)[] = [];
  const hypervisors: string[] = [];
  let isClosed = false;
  const refuseLate = (): void => {
    if (isClosed) throw new PluginProblem('registers after it was loaded; everything belongs into register()');
  };
  const registerIn =
    <T>(registry: Registry<T>): Registry<T>['register'] =>
    (key, implementation) => {
      refuseLate();
      registry.register(key, implementation);
      steps.push(() => registry.unregister(key));
    };
  return {
    hypervisors,
    api: {
      apiVersion: PLUGIN_API_VERSION,
      registerHypervisor(hypervisor) {
        refuseLate();
        const [wrong] = shapeProblems(hypervisor);
        if (wrong) throw new PluginProblem(wrong);
        steps.push(registerHypervisor(hypervisor));
        hypervisors.push(hypervisor.name);
      },
      register: {
        defaults: registerIn(registries.defaults),
        runtime: registerIn(registries.runtime),
        converter: registerIn(registries.converter),
        admission: registerIn(registries.admission),
        labeller: registerIn(registries.labeller),
      },
      memoryOverheadBytes,
      memlockBytes,
      pinsMemory,
      lockedBytes,
      fillUnset,
      el,
    },
    close() {
      isClosed = true;
    },
    undo() {
      isClosed = true;
      for (const step of steps.splice(0).reverse()) step();
      hypervisors.length = 0;
    },
  };
}
