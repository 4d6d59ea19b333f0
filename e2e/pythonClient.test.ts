import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import { missing, pythonPath } from './clients.ts';
import { useCluster } from './kubectl.ts';

const { vireo } = useCluster();

beforeEach(({ skip }) => {
  if (!pythonPath) skip(missing);
});

it('python3-kubernetes creates, lists, patches, watches, and finds resources by discovery', async () => {
  const script = fileURLToPath(new URL('pythonClient.py', import.meta.url));
  const env = { PATH: process.env.PATH, PYTHONPATH: pythonPath };
  const { stdout } = await promisify(execFile)('/usr/bin/python3', [script, vireo().kubeconfig], { env });
  expect(stdout).toMatchInlineSnapshot(`
    "listed ['a']
    patched {'x': '1', 'y': '2'}
    patched {'y': '2'}
    watched MODIFIED a {'x': '1', 'y': '2'}
    watched MODIFIED a {'y': '2'}
    watched DELETED a {'y': '2'}
    refused 404 Not Found
    found apps/v1 deployments True True
    created Snake 3
    patched 9
    "
  `);
});
