import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeObject, notFound } from '@vireo/api';
import type { Client } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Orphans } from './orphans.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-orphans-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

interface Given {
  /** The server that the home knows, and the guests that it was to leave alone. */
  readonly remembered?: { readonly server: string; readonly orphans: object[] };
  /** The uid of the server's KubeVirt object. */
  readonly server: string;
  readonly hasNode?: boolean;
  readonly hasVmi?: boolean;
}

/** Whether a guest that runs is left alone although the server does not know its VMI, or before it goes by it. */
async function isOrphan({ remembered, server, hasNode = false, hasVmi = false }: Given): Promise<boolean> {
  const file = join(directory, 'known-server.json');
  if (remembered) await writeFile(file, JSON.stringify(remembered));
  const objects: Record<string, Pick<KubeObject, 'metadata'> | undefined> = {
    KubeVirt: { metadata: { name: 'kubevirt', uid: server } },
    Node: hasNode ? { metadata: { name: 'node-1' } } : undefined,
    VirtualMachineInstance: hasVmi ? { metadata: { name: 'web', uid: 'u' } } : undefined,
  };
  const client = {
    of: ({ kind, group, plural }: { kind: string; group: string; plural: string }) => ({
      find: async () => objects[kind],
      get: async (name: string) => {
        const found = objects[kind];
        if (!found) throw notFound({ group, resource: plural }, name);
        return found;
      },
    }),
  } as unknown as Client;
  const guest = { ref: { name: 'shop_web', uuid: 'u' }, state: { state: 'running', reason: 'booted' } };
  const parts = {
    client,
    kubelet: client,
    host: { name: 'node-1' },
    domains: { all: () => [guest], get: () => guest },
    recorder: { event: () => {} },
    log: memoryLog(),
    file,
  };
  const orphans = await Orphans.open(parts as unknown as Parameters<typeof Orphans.open>[0]);
  return orphans.has('u');
}

const known = { server: 'a ', orphans: [] };
const listed = { server: 'b ', orphans: [{ key: 'shop/web', uid: 'u' }] };

it.each<[string, Given, boolean]>([
  ['of the server that the home knows is not left alone', { remembered: known, server: 'a' }, false],
  ['of another server is left alone', { remembered: known, server: 'b' }, true],
  ['of another server that knows the Node is left alone', { remembered: known, server: 'b', hasNode: true }, true],
  ['of a server that knows it is no orphan', { remembered: known, server: 'b', hasVmi: true }, false],
  ['is left alone by a home without a memory, if nobody knows its Node', { server: 'a' }, true],
  ['is not, if the server knows the Node', { server: 'a', hasNode: true }, false],
  ['is the server’s again after a time with another one', { remembered: listed, server: 'a', hasVmi: true }, false],
])('a guest %s', async (_, given, expected) => {
  expect(await isOrphan(given)).toBe(expected);
});
