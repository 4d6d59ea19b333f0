import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setup } from '../setup.mjs';
import { Failure, runLauncher } from './failure.mjs';
import { environment, node } from './nodeBinary.mjs';
import { root } from './paths.mjs';
import { runInForeground } from './spawn.mjs';
import { createSteps } from './steps.mjs';

/**
 * Runs one benchmark, a file of `bench/`, with the arguments after its name.
 *
 * @param {readonly string[]} args
 */
export function bench([name, ...args]) {
  return runLauncher(async () => {
    const names = readdirSync(join(root, 'bench'))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => basename(file, '.ts'));
    if (name === undefined || !names.includes(name)) {
      throw new Failure(name === undefined ? 'say which benchmark to run' : `there is no benchmark ${name}`, {
        hint: `Benchmarks: ${names.join(', ') || 'none yet'}. Example: npm run bench -- ${names[0] ?? 'apiserver'}`,
      });
    }
    await setup(createSteps(process.stderr));
    return runInForeground(node, [join(root, 'bench', `${name}.ts`), ...args], { cwd: root, env: environment() });
  });
}
