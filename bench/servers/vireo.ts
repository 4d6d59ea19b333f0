import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { end } from '../processes.ts';
import { collectOutput, endpointOf, freePort, type ServerKind, untilReady } from './server.ts';

const program = fileURLToPath(new URL('../../bin/vireo', import.meta.url));

/** Vireo's API server, as `bin/vireo up --api-only` starts it. */
export const vireo: ServerKind = {
  name: 'vireo',
  start: async (directory) => {
    const port = await freePort();
    const settings = Object.entries(process.env).filter(([name]) => !name.startsWith('VIREO_'));
    const startedAt = performance.now();
    const child = spawn(program, ['up', '--api-only', '--home', directory, '--port', String(port)], {
      env: Object.fromEntries(settings),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    await untilReady(port, child, collectOutput(child)).catch(async (error) => {
      await end(child, 'SIGKILL');
      throw error;
    });
    return {
      endpoint: endpointOf(port, `${directory}/pki`),
      // The launcher becomes the server, so this is all.
      pids: [child.pid as number],
      readyMs: performance.now() - startedAt,
      stop: () => end(child, 'SIGTERM'),
    };
  },
};
