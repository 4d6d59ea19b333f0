import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isObject } from '@vireo/api/json.ts';
import type { Part, Trial } from './part.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** One package of the lock file. */
export interface Locked {
  readonly link?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly license?: string;
}

/** The only package that runs something when it is installed: it puts the program of Node in its place. */
const INSTALL_SCRIPTS = ['node_modules/node'];

/** Licences that go with ours, Apache-2.0. */
const LICENCES = ['Apache-2.0', 'MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Unlicense', '0BSD', 'BlueOak-1.0.0'];
/** For what is used to develop and is not a part of what runs. */
const DEVELOPMENT_LICENCES = [...LICENCES, 'MPL-2.0', 'PSF-2.0', 'CC-BY-4.0'];

/** What is wrong with a package of the lock file. */
export function lockProblems(name: string, locked: Locked, isDevelopment: boolean): string[] {
  // Our own packages are links to what is here.
  if (locked.link || !name.includes('node_modules/')) return [];
  const problems: string[] = [];
  if (!locked.integrity?.startsWith('sha512-')) problems.push(`${name} has no sha512 in the lock file`);
  if (locked.resolved && !locked.resolved.startsWith('https://'))
    problems.push(`${name} comes from ${locked.resolved}, not from a registry by https`);
  if (locked.hasInstallScript && !INSTALL_SCRIPTS.includes(name))
    problems.push(`${name} runs an install script: review it, then list it in security/dependencies.ts`);
  const allowed = isDevelopment ? DEVELOPMENT_LICENCES : LICENCES;
  const licences = (locked.license ?? 'none').replaceAll(/[()]/g, '').split(/ OR /);
  if (!licences.some((licence) => allowed.includes(licence)))
    problems.push(`${name} has the license ${locked.license ?? 'unknown'}, which is not on the allow list`);
  return problems;
}

export const dependencies: Part = {
  name: 'dependencies',
  about: 'hashes, install scripts and licenses in the lock file, and the audit of the registry',
  async run(_, trial) {
    const lock: unknown = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
    const packages = isObject(lock) && isObject(lock.packages) ? Object.entries(lock.packages) : [];
    trial.check(packages.length > 10 ? undefined : 'the lock file lists no packages');
    for (const [name, entry] of packages) {
      const locked = entry as Locked & { readonly dev?: boolean; readonly devOptional?: boolean };
      const problems = lockProblems(name, locked, Boolean(locked.dev ?? locked.devOptional));
      for (const problem of problems) trial.check(problem);
      if (problems.length === 0) trial.check(undefined);
    }
    await audit(trial);
  },
};

const AUDIT_TIMEOUT_MS = 60_000;

/** Asks the registry. One that cannot be reached, or does not answer such questions, is no finding: it is said. */
async function audit(trial: Trial): Promise<void> {
  const run = promisify(execFile);
  const { stdout } = await run('npm', ['audit', '--json'], { cwd: ROOT, timeout: AUDIT_TIMEOUT_MS }).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  );
  const answer = parse(stdout);
  const vulnerabilities = isObject(answer) ? answer.vulnerabilities : undefined;
  if (!isObject(vulnerabilities)) return trial.note('npm audit: the registry does not support it');
  trial.check(undefined);
  for (const [name, found] of Object.entries(vulnerabilities))
    trial.check(`npm audit: ${name} (${isObject(found) ? String(found.severity) : 'unknown'})`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
