import { join } from 'node:path';
import { setup } from '../setup.mjs';
import { runLauncher } from './failure.mjs';
import { environment, node } from './nodeBinary.mjs';
import { oracleServer } from './oracleServer.mjs';
import { root } from './paths.mjs';
import { runInForeground } from './spawn.mjs';
import { createSteps } from './steps.mjs';

/**
 * Compares Vireo's API server with the real one, which it builds first; `oracle/run.ts` does the work.
 *
 * @param {readonly string[]} args
 */
export function oracle(args) {
  return runLauncher(async () => {
    const steps = createSteps(process.stderr);
    await setup(steps);
    const { server, etcd, version } = await oracleServer(steps);
    steps.say(`The real server is apiextensions-apiserver ${version}.`);
    return runInForeground(node, [join(root, 'oracle/run.ts'), ...args], {
      cwd: root,
      env: { ...environment(), VIREO_ORACLE_SERVER: server, VIREO_ORACLE_ETCD: etcd },
    });
  });
}
