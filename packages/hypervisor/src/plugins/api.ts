import type { Hypervisor } from '../contracts.ts';
import type { fillUnset } from '../defaults/layer.ts';
import type { lockedBytes, memlockBytes, pinsMemory } from '../memlock.ts';
import type { memoryOverheadBytes } from '../overhead.ts';
import type { registries } from '../registries.ts';
import type { el } from '../xml.ts';

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
