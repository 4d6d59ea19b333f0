import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listenForNodes, nodesBehind } from './nodeSocket.ts';

it('knows no node whose name would begin a request', () => {
  const nodes = nodesBehind('/nowhere');
  expect(nodes('host-1.example')).toBeTypeOf('function');
  for (const name of ['', 'n1\nGET / HTTP/1.1', 'n1\r\n', 'n1 ']) expect(nodes(name)).toBeUndefined();
});

it('is a socket for the user of the server alone', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-nodes-'));
  const stopping = new AbortController();
  try {
    const path = join(directory, 'nodes.sock');
    await listenForNodes(path, () => undefined, stopping.signal);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  } finally {
    stopping.abort();
    await rm(directory, { recursive: true, force: true });
  }
});
