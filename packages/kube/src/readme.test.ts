import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from './testing/eventually.ts';
import { FakeKubernetes } from './testing/fakeKubernetes.ts';
import { FakeServer } from './testing/fakeServer.ts';
import { configMap } from './testing/kinds.ts';
import { writeKubeconfig } from './writeKubeconfig.ts';

it('the controller in the README works as printed', async () => {
  const root = new URL('..', import.meta.url);
  const readme = await readFile(new URL('README.md', root), 'utf8');
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const kubernetes = new FakeKubernetes();
  const server = await FakeServer.start(kubernetes);
  const home = await mkdtemp(join(tmpdir(), 'readme-'));
  const path = '/api/v1/namespaces/default/configmaps';
  kubernetes.handle({ method: 'POST', path, body: configMap('c', { a: '1', b: '2' }) });
  await writeKubeconfig(join(home, 'config'), { server: server.url, certificateAuthority: server.pki.ca });

  const controller = spawn(process.execPath, ['--input-type=module-typescript', '--eval', example], {
    cwd: root,
    env: { ...process.env, KUBECONFIG: join(home, 'config') },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exited = new Promise((resolve) => controller.once('exit', resolve));
  try {
    await eventually(() => {
      const [object] = kubernetes.store.state().values();
      return object?.metadata.annotations?.['example.com/keys'] === '2' || controller.exitCode !== null;
    });
    expect(controller.exitCode).toBeNull();
    controller.kill('SIGTERM');
    expect(await exited).toBe(0);
  } finally {
    controller.kill('SIGKILL');
    await server.close();
    await rm(home, { recursive: true });
  }
});
