import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Node } from '@vireo/api';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { run } from '@vireo/network';
import { Machine, whyNoNamespaces } from '@vireo/network/testing/namespaces.ts';
import { tapName } from '@vireo/node/network/addresses.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVmServer, type VmServer } from '../../../testing/vmServer.ts';
import { networkOfNode, type ThisHost } from './hostNetwork.ts';

describe('this host is a node of the cluster', () => {
  const host: ThisHost = {
    name: 'here',
    bootId: 'b1',
    addresses: new Map([
      ['eth0', ['192.0.2.2']],
      ['vireo0', ['10.244.0.1', '10.244.0.254']],
      ['vireo1', ['10.243.0.1', '10.243.3.254']],
    ]),
  };
  const node = (podCIDR: string | undefined, bootID: string, network = 'routed'): Node => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', annotations: { 'vireo.dev/pod-network': network } },
    spec: { ...(podCIDR && { podCIDR }) },
    status: { nodeInfo: { bootID } as never },
  });

  it.each<[string, Node, string | undefined]>([
    ['by boot ID and own address', node('10.244.0.0/24', 'b1'), 'vireo0 10.244.0.1'],
    ['with several networks: the one with the address', node('10.243.3.0/24', 'b1'), 'vireo1 10.243.0.1'],
    ['not by ranges alone, which are the same everywhere', node('10.244.0.0/24', 'b2'), undefined],
    ['not by boot ID alone: a node in a namespace of its own', node('10.244.7.0/24', 'b1'), undefined],
    ['not without a range', node(undefined, 'b1'), undefined],
    ['not with user networking: the device is that of another home', node('10.244.0.0/24', 'b1', 'user'), undefined],
  ])('%s', (_, asked, expected) => {
    const found = networkOfNode(asked, host);
    expect(found && `${found.device} ${found.gateway}`).toBe(expected);
  });
});

const why = await whyNoNamespaces();

/** Repeats a datagram that comes to port 53, and ends. */
const ECHO = `const socket = require('node:dgram').createSocket('udp4').bind(53);
socket.on('message', (data, from) => socket.send('the guest:' + data, from.port, from.address, () => process.exit()));
setTimeout(() => process.exit(1), 20_000);`;

describe.skipIf(why)('a guest whose card is on this host', { meta: { whySkipped: why } }, () => {
  // Of the range for benchmarks, and unlike those of another run on this host.
  const [subnet, host] = randomBytes(2);
  const OWN = `198.18.${subnet}.1`;
  const ADDRESS = `198.19.${subnet}.${host}`;
  let server: VmServer;
  let guest: Machine;
  let device: string;
  beforeAll(async () => {
    server = await startVmServer();
    const card = (ports?: { port: number; protocol?: string }[]) => ({
      networks: [{ name: 'default', pod: {} }],
      interfaces: [{ name: 'default', masquerade: {}, ...(ports && { ports }) }],
      status: { interfaces: [{ name: 'default', ipAddress: ADDRESS }] },
    });
    device = tapName(
      await server.instance('web', [], card([{ port: 80 }, { port: 82 }, { port: 53, protocol: 'UDP' }])),
      'default',
    );
    // Says that it has the same address, as a guest of another cluster may.
    await server.instance('other', [], card());
    guest = await Machine.make(device);
    await guest.ip(`addr add ${ADDRESS}/32 dev eth0`);
    await guest.ip(`route add ${OWN}/32 dev eth0`);
    await run('ip', ['link', 'set', device, 'up']);
    await run('ip', ['addr', 'add', `${OWN}/32`, 'dev', device]);
    await run('ip', ['route', 'add', `${ADDRESS}/32`, 'dev', device]);
    await guest.serve('the guest', 80, 81);
  });
  afterAll(async () => {
    await guest?.[Symbol.asyncDispose]();
    await server?.close();
  });

  /** What a forwarded port says, and whether the node was asked for it. */
  async function forwarded(target: string, port: number): Promise<[string, boolean]> {
    const { child, shown } = server.spawn(['port-forward', target, `0:${port}`]);
    await eventually(() => shown().includes('\n'));
    const [, local] = /:(\d+) to/.exec(shown()) ?? [];
    const before = server.node.asked.length;
    const socket = connect(Number(local), '127.0.0.1').setEncoding('utf8');
    const [said] = (await once(socket, 'data')) as [string];
    socket.destroy();
    child.kill();
    await once(child, 'exit');
    return [said, server.node.asked.slice(before).join('\n').includes(`/portforward/${port}/tcp`)];
  }

  it('is connected to by its address', async () => {
    expect(await forwarded('vmi/web', 80)).toEqual([`the guest ${OWN}`, false]);
    expect(await forwarded('vmi/web.default', 80)).toEqual([`the guest ${OWN}`, false]);
  });

  it('is sent datagrams by its address', async () => {
    const echo = guest.exec(process.execPath, '-e', ECHO);
    const { child, shown } = server.spawn(['port-forward', 'vmi/web', 'udp/0:53']);
    await eventually(() => shown().includes('\n'));
    const socket = createSocket('udp4');
    const heard: string[] = [];
    socket.on('message', (datagram) => heard.push(datagram.toString()));
    await eventually(() => {
      socket.send('one', Number(/:(\d+) to/.exec(shown())?.[1]), '127.0.0.1');
      return heard.includes('the guest:one');
    });
    await echo;
    expect(server.node.asked.join('\n')).not.toContain('/portforward/53/udp');
    socket.close();
    child.kill();
    await once(child, 'exit');
  });

  it.each([
    ['a port that its interface does not list', 'vmi/web', 81],
    ['a port at which nobody listens', 'vmi/web', 82],
    ['another VMI that claims the same address', 'vmi/other', 80],
  ])('is left to the API: %s', async (_, target, port) => {
    expect(await forwarded(target, port)).toEqual(['login: ', true]);
  });
});
