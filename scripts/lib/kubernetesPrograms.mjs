import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Failure } from './failure.mjs';
import { builtKubernetes } from './kubernetesBuild.mjs';
import { capture } from './spawn.mjs';

/** What a control plane consists of, beside etcd. */
export const PROGRAMS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** The oldest that Vireo supports, and that all tests have to pass on. */
const oldestMinor = 30;

/**
 * A directory with the programs of a control plane: the user's own, in KUBEBUILDER_ASSETS or on the PATH, or else one that
 * is built from Debian's sources.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @returns {Promise<{ directory: string, etcd: string, version: string, origin: string }>}
 */
export async function kubernetesPrograms(steps) {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (assets) return ownPrograms(assets, assets, 'from KUBEBUILDER_ASSETS');
  for (const directory of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    if (missingPrograms(directory).length > 0) continue;
    const etcdDirectory = (process.env.PATH ?? '').split(delimiter).find((each) => existsSync(join(each, 'etcd')));
    if (etcdDirectory) return ownPrograms(directory, etcdDirectory, `from ${directory}`);
  }
  return builtKubernetes(steps, PROGRAMS);
}

async function ownPrograms(directory, etcdDirectory, origin) {
  const missing = missingPrograms(directory);
  const etcd = join(etcdDirectory, 'etcd');
  if (!existsSync(etcd)) missing.push('etcd');
  if (missing.length > 0) {
    throw new Failure(`${directory} has no ${missing.join(', ')}`, {
      hint: `envtest's archives lack kube-controller-manager and kube-scheduler: put those of the same release beside the others.\nWithout KUBEBUILDER_ASSETS, an old Kubernetes is built from Debian's sources.`,
    });
  }
  const version = parseKubernetesVersion((await capture(join(directory, 'kube-apiserver'), ['--version'])).stdout);
  if (!version || version.minor < oldestMinor) {
    throw new Failure(`${directory}/kube-apiserver is ${version?.text ?? 'of an unknown version'}`, {
      hint: `Everything is tested on 1.${oldestMinor} and newer. Unset KUBEBUILDER_ASSETS to use the one built from Debian's sources.`,
    });
  }
  return { directory, etcd, version: version.text, origin };
}

const missingPrograms = (/** @type {string} */ directory) =>
  PROGRAMS.filter((program) => !existsSync(join(directory, program)));

/**
 * @param {string} text what `kube-apiserver --version` printed
 * @returns {{ minor: number, text: string } | undefined}
 */
export function parseKubernetesVersion(text) {
  const [, version, minor] = /v(1\.(\d+)\.\d+\S*)/.exec(text) ?? [];
  return version ? { minor: Number(minor), text: version } : undefined;
}
