import { delimiter, join } from 'node:path';
import { Failure } from './lib/failure.mjs';
import { fetchKubectlPackage } from './lib/kubectlPackage.mjs';
import { capture } from './lib/spawn.mjs';

const oldestMinor = 27;

/**
 * The kubectl that tests drive: the one on the PATH when it is new enough, else the one of a newer Debian, kept in the
 * project's cache. `VIREO_TEST_KUBECTL` overrides: `debian` asks for the latter, a path for that program.
 *
 * @param {import('./lib/steps.mjs').Steps} steps
 * @returns {Promise<string>} its path
 */
export async function ensureKubectl(steps) {
  const asked = process.env.VIREO_TEST_KUBECTL;
  if (asked && asked !== 'debian') {
    const version = await kubectlVersion(asked);
    if (isNewEnough(version)) return asked;
    throw new Failure(
      `VIREO_TEST_KUBECTL is set to ${asked}, which ${version ? `is kubectl ${version.text}` : 'is not kubectl'}`,
      { hint: `The tests need kubectl 1.${oldestMinor} or newer.` },
    );
  }
  if (!asked) {
    for (const directory of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
      const candidate = join(directory, 'kubectl');
      if (isNewEnough(await kubectlVersion(candidate))) return candidate;
    }
  }
  return fetchKubectlPackage(steps, async (program) => isNewEnough(await kubectlVersion(program)));
}

/** The version a program says it is; undefined when it cannot be run or says something else. */
async function kubectlVersion(program) {
  try {
    return parseKubectlVersion((await capture(program, ['version', '--client', '--output=json'])).stdout);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} json what `kubectl version --client --output=json` printed
 * @returns {{ major: number, minor: number, text: string } | undefined}
 */
export function parseKubectlVersion(json) {
  const text = /"gitVersion":\s*"v([^"]+)"/.exec(json)?.[1];
  const numbers = /^(\d+)\.(\d+)/.exec(text ?? '');
  return numbers ? { major: Number(numbers[1]), minor: Number(numbers[2]), text } : undefined;
}

/** Older ones lack `create token`, `auth whoami` and `events`, and know OpenAPI v2 only. */
export function isNewEnough(version) {
  return version !== undefined && (version.major > 1 || (version.major === 1 && version.minor >= oldestMinor));
}
