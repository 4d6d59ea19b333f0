import { toYaml } from './manifest.ts';
import {
  type CloneOptions,
  cloneManifest,
  type InstancetypeOptions,
  instancetypeManifest,
  type PreferenceOptions,
  preferenceManifest,
} from './others.ts';
import { type CreateVmOptions, vmManifest } from './vm.ts';

/** Prints manifests; nothing is sent to a server. */
export const createVm = (options: CreateVmOptions): void => print(vmManifest(options));
export const createInstancetype = (options: InstancetypeOptions): void => print(instancetypeManifest(options));
export const createPreference = (options: PreferenceOptions): void => print(preferenceManifest(options));
export const createClone = (options: CloneOptions): void => print(cloneManifest(options));

function print(manifest: unknown): void {
  process.stdout.write(toYaml(manifest));
}
