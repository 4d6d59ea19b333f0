import { expect, it } from 'vitest';
import { startScriptedServer } from '../../testing/scriptedServer.ts';
import { runVireo } from '../../testing/vireoProcess.ts';
import { otherVersionNote } from './versions.ts';

it.each([
  { server: 'v1.9.0', isTold: false },
  { server: 'v1.9.3-rc.1', isTold: false },
  { server: 'v1.8.2', isTold: true },
  { server: 'v2.9.0', isTold: true },
  { server: undefined, isTold: false },
  { server: '{gitVersion}', isTold: false },
])('$server beside v1.9.0', ({ server, isTold }) => {
  expect(otherVersionNote(server, 'v1.9.0') !== undefined).toBe(isTold);
});

it('a refusal by another version comes with the two versions', async () => {
  const server = await startScriptedServer(({ path }) =>
    path.endsWith('/version') ? { body: { gitVersion: 'v1.2.3' } } : undefined,
  );
  const run = (...args: string[]) => runVireo([...args, '--server', server.url], { HOME: '/nowhere' });
  const note =
    'You are using a client virtctl version that is different from the KubeVirt version running in the cluster\n' +
    'Client Version: v1.9.0\nServer Version: v1.2.3\n';
  const refused = await run('start', 'web');
  expect(refused.code).toBe(1);
  expect(refused.stderr.startsWith(`${note}Error starting VirtualMachine `)).toBe(true);
  expect(await run('version')).toMatchObject({ code: 0, stderr: note });
  expect(await run('version', '--client')).toMatchObject({ code: 0, stderr: '' });
  await server.close();
});
