import type { Node } from '@vireo/api';
import { testAuthority } from '@vireo/apiserver/testing/certificates.ts';
import { systemClock } from '@vireo/kube';
import { afterEach, describe, expect, it } from 'vitest';
import { type NodeStandIn, startNodeStandIn } from '../testing/nodeStandIn.ts';
import { vmiWith } from '../testing/vms.ts';
import type { NodeConnections } from './nodeConnections.ts';
import { askNode } from './nodeRequest.ts';
import { openNodeSocket } from './nodeSocket.ts';
import { tlsNodes } from './tlsNodes.ts';

const cluster = testAuthority();
const stranger = testAuthority();
const extension = cluster.issue({
  commonName: 'vireo:extension:a',
  organizations: ['vireo:extensions'],
  use: 'client',
});
const { signal } = new AbortController();
const asked = { method: 'GET', path: 'guestosinfo', signal } as const;

let node: NodeStandIn | undefined;
afterEach(async () => {
  await node?.close();
  node = undefined;
});

interface Shown {
  readonly authority?: typeof cluster;
  readonly commonName?: string;
  readonly organizations?: string[];
  readonly ipAddresses?: string[];
}

/** The node n1 of VMIs in tests, on a real port with that certificate. */
async function nodeWith(shown: Shown = {}, certificate: typeof extension | undefined = extension) {
  const { authority = cluster, commonName = 'system:node:n1', organizations = ['system:nodes'] } = shown;
  const subjectAltNames = { dnsNames: [], ipAddresses: shown.ipAddresses ?? ['127.0.0.1'] };
  const pair = authority.issue({ commonName, organizations, use: 'server', subjectAltNames });
  node = await startNodeStandIn({ ...pair, clientCa: cluster.caPem });
  return connections(node.port, certificate);
}

const object = (address: string, port: number | undefined): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1' },
  status: {
    addresses: [
      { type: 'Hostname', address: 'n1' },
      { type: 'InternalIP', address },
    ],
    ...(port !== undefined && { daemonEndpoints: { kubeletEndpoint: { Port: port } } }),
  },
});

const connections = (port: number | undefined, certificate: typeof extension | undefined = extension) =>
  tlsNodes({
    find: (name) => (name === 'n1' ? object('127.0.0.1', port) : undefined),
    certificate: () => certificate,
    authorities: () => [cluster.caPem],
  });

const ask = (nodes: NodeConnections) => askNode(nodes, vmiWith(), asked);

describe('a node elsewhere', () => {
  it('answers requests and opens streams, to whoever shows a certificate of the cluster', async () => {
    const nodes = await nodeWith();
    const response = await ask(nodes);
    expect(response.type === 'object' && response.object()).toMatchObject({ os: { id: 'debian' } });
    const socket = await openNodeSocket(nodes, vmiWith(), 'console', systemClock);
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.on('message', (data: Buffer) => resolve(data.toString()));
    socket.resume();
    expect(await promise).toBe('login: ');
    socket.terminate();
  });

  it.each<[string, Shown, RegExp]>([
    ['of another node', { commonName: 'system:node:n2' }, /is for "system:node:n2" instead of "system:node:n1"/],
    ['of a user of that name', { organizations: [] }, /is for "system:node:n1" instead/],
    ['of another authority', { authority: stranger }, /not signed by the cluster's authority/],
    ['for another address', { ipAddresses: ['10.0.0.1'] }, /is not for the address 127\.0\.0\.1, where its Node says/],
  ])('with a certificate %s is refused with 503', async (_, shown, message) => {
    const nodes = await nodeWith(shown);
    const refusal = { code: 503, message: expect.stringMatching(message) };
    await expect(ask(nodes)).rejects.toMatchObject(refusal);
    await expect(openNodeSocket(nodes, vmiWith(), 'console', systemClock)).rejects.toMatchObject(refusal);
    expect(node?.asked).toEqual([]);
  });

  it('refuses a client with a certificate of another authority', async () => {
    const own = stranger.issue({ commonName: 'vireo:extension:a', use: 'client' });
    const nodes = await nodeWith({}, own);
    await expect(ask(nodes)).rejects.toMatchObject({ code: 503 });
    expect(node?.asked).toEqual([]);
  });

  it('cannot be reached without a certificate of our own, and says so', async () => {
    const nodes = tlsNodes({
      find: () => object('127.0.0.1', 1),
      certificate: () => undefined,
      authorities: () => [cluster.caPem],
    });
    await expect(ask(nodes)).rejects.toMatchObject({
      code: 503,
      message: expect.stringMatching(/no client certificate/),
    });
    await expect(openNodeSocket(nodes, vmiWith(), 'console', systemClock)).rejects.toMatchObject({ code: 503 });
  });

  it('answers 503 where its port is closed', async () => {
    await expect(ask(connections(1))).rejects.toMatchObject({
      code: 503,
      message: expect.stringMatching(/ECONNREFUSED/),
    });
  });

  it('that does not say where it listens is not known', () => {
    expect(connections(undefined)('n1')).toBeUndefined();
    expect(connections(1)('n2')).toBeUndefined();
  });
});
