import { once } from 'node:events';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { Client } from '@vireo/kube';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, install } from '../testing/installation.ts';
import { type NodeStandIn, startNodeStandIn } from '../testing/nodeStandIn.ts';
import { open, STREAMS, terminal } from '../testing/terminal.ts';
import { unixSocket } from './nodeConnections.ts';

let node: NodeStandIn;
let installation: Installation;
const clock = new FakeClock();

beforeAll(async () => {
  node = await startNodeStandIn();
  installation = await install({ nodes: () => unixSocket(node.socketPath), clock });
});
afterAll(async () => {
  await installation?.close();
  await node?.close();
});

/** A VMI that runs, as far as the server knows. */
async function running(name: string, status: object = {}): Promise<string> {
  const handler = new Client(
    installation.server.inProcess({
      username: 'system:serviceaccount:kubevirt:kubevirt-handler',
      groups: ['system:masters', 'system:authenticated'],
    }),
  ).of(VirtualMachineInstance);
  await handler.create({
    metadata: { name, namespace: 'default' },
    spec: { domain: { devices: {}, memory: { guest: '64Mi' } } },
  });
  const patch = { status: { phase: 'Running', nodeName: 'n1', interfaces: [{ name: 'default' }], ...status } };
  await handler.patch(name, patch, { namespace: 'default', type: 'merge' });
  return `virtualmachineinstances/${name}`;
}

const nodeSide = (name: string) =>
  node.open.filter(({ path }) => path.includes(`/${name}/`)).map(({ socket }) => socket);

describe('a console', () => {
  it('carries bytes both ways, in the protocol of KubeVirt', async () => {
    const console = await terminal(installation, `${await running('talk')}/console`);
    expect(console.socket.protocol).toBe('plain.kubevirt.io');
    await console.shows('login: ');
    console.type('root\n');
    await console.shows('guest:root\n');
    expect(node.asked).toContain('GET /v1/namespaces/default/virtualmachineinstances/talk/console plain.kubevirt.io');
    const ended = once(nodeSide('talk')[0]!, 'close');
    console.socket.close(1000);
    await console.ended();
    expect((await ended)[0]).toBe(1000);
  });

  it('that the guest ends, ends normally', async () => {
    const console = await terminal(installation, `${await running('eof')}/console`);
    await console.shows('login: ');
    nodeSide('eof')[0]?.close(1000);
    await console.ended();
    expect(console.closed?.code).toBe(1000);
  });

  it('that breaks on the node does not look like a normal end', async () => {
    const console = await terminal(installation, `${await running('broken')}/console`);
    await console.shows('login: ');
    nodeSide('broken')[0]?.terminate();
    await console.ended();
    expect(console.closed?.code).toBe(1011);
  });

  it('that the client leaves is closed on the node', async () => {
    const console = await terminal(installation, `${await running('left')}/console`);
    await console.shows('login: ');
    console.socket.terminate();
    await eventually(() => nodeSide('left').every(({ readyState, CLOSED }) => readyState === CLOSED));
  });

  it('is taken over by the next one, and says by whom', async () => {
    const path = `${await running('taken')}/console`;
    const first = await terminal(installation, path);
    await first.shows('login: ');
    const second = await terminal(installation, path);
    await first.ended();
    expect(first.text).toContain('\r\nThis console was taken over by kubernetes-admin.\r\n');
    expect(first.closed).toEqual({ code: 1000, reason: 'taken over by kubernetes-admin' });
    second.type('still here');
    await second.shows('guest:still here');
    second.socket.close();
    await second.ended();
  });

  it('is taken over by names that are long, and that a terminal would obey', async () => {
    const path = `${await running('named')}/console`;
    const first = await terminal(installation, path);
    await first.shows('login: ');
    const second = await terminal(installation, path, `\x9b2J${'é'.repeat(100)}`);
    await first.ended();
    expect(first.text).toContain(`taken over by ?2J${'é'.repeat(100)}.\r\n`);
    expect(first.closed).toEqual({ code: 1000, reason: `taken over by ?2J${'é'.repeat(53)}` });
    second.socket.close();
    await second.ended();
  });

  it('is one, however many ask at once', async () => {
    const path = `${await running('crowd')}/console`;
    const all = await Promise.all(Array.from({ length: 4 }, () => terminal(installation, path)));
    const open = () => all.filter(({ closed }) => !closed);
    await eventually(() => open().length === 1);
    const [last] = open();
    last?.type('alone');
    await last?.shows('guest:alone');
    for (const other of all.filter((each) => each !== last)) expect(other.closed?.code).toBe(1000);
    last?.socket.close();
  });

  it('stays where it is when the next one is refused by the node', async () => {
    const path = `${await running('kept')}/console`;
    const first = await terminal(installation, path);
    await first.shows('login: ');
    node.refuseNext(409, { kind: 'Status', apiVersion: 'v1', reason: 'Conflict', message: 'not now', code: 409 });
    expect(await open(installation, path)).toMatchObject({ code: 409, body: { message: 'not now' } });
    first.type('x');
    await first.shows('guest:x');
    expect(first.text).not.toContain('taken over');
    first.socket.close();
  });

  it('is pinged while it is idle, and dropped when nobody answers', async () => {
    const console = await terminal(installation, `${await running('idle')}/console`);
    await console.shows('login: ');
    for (let minute = 1; minute <= 3; minute++) {
      clock.advance(30_000);
      await eventually(() => console.pings === minute);
      // The response to a ping has to be back before the next; a byte that went round shows that it is.
      console.type(String(minute));
      await console.shows(`guest:${minute}`);
    }
    expect(console.closed).toBeUndefined();

    console.socket.pause();
    clock.advance(30_000);
    clock.advance(30_000);
    await eventually(() => nodeSide('idle').every(({ readyState, CLOSED }) => readyState === CLOSED));
    console.socket.terminate();
  });

  it('of a VMI that does not run is refused before the upgrade', async () => {
    const path = `${await running('early', { phase: 'Scheduled' })}/console`;
    expect(await open(installation, path)).toMatchObject({
      code: 400,
      body: { kind: 'Status', reason: 'BadRequest', message: 'VMI is not running' },
    });
  });

  it('of nobody is not found', async () => {
    expect(await open(installation, 'virtualmachineinstances/nobody/console')).toMatchObject({
      code: 404,
      body: { message: 'virtualmachineinstance.kubevirt.io "nobody" not found' },
    });
  });
});

describe('a screen', () => {
  it('tells by a plain request why a handshake fails, for browsers, which hide it', async () => {
    const path = `${STREAMS}/${await running('plain')}/vnc?preserveSession=true`;
    const get = async () => {
      const { status, body } = await (await installation.server.overHttp()).call({ method: 'GET', path });
      return { status, message: (body as { message?: string }).message };
    };
    const free = { status: 400, message: 'virtualmachineinstances/vnc is a stream; connect with a WebSocket' };
    expect(await get()).toEqual(free);
    const holder = await terminal(installation, 'virtualmachineinstances/plain/vnc');
    expect(await get()).toEqual({ status: 409, message: 'Active VNC connection. Request denied.' });
    holder.socket.close();
    await holder.ended();
    await expect.poll(get).toEqual(free);
  });

  it('is taken over without a word in its stream, unless the next one would rather not', async () => {
    const path = `${await running('screen')}/vnc`;
    const first = await terminal(installation, path);
    await first.shows('login: ');
    expect(await open(installation, `${path}?preserveSession=true`)).toMatchObject({
      code: 409,
      body: { message: 'Active VNC connection. Request denied.' },
    });
    const second = await terminal(installation, path);
    await first.ended();
    expect(first.text).toBe('login: ');
    expect(first.closed).toEqual({ code: 1000, reason: 'taken over by kubernetes-admin' });
    second.socket.close();
  });
});

describe('ports', () => {
  it('are forwarded side by side, for VMs as for VMIs', async () => {
    const path = await running('ports');
    await installation.server.client.of(VirtualMachine).create({
      metadata: { name: 'ports', namespace: 'default' },
      spec: { runStrategy: 'Manual', template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } } },
    });
    await installation.server.client
      .of(VirtualMachine)
      .patchStatus('ports', { status: { created: true } }, { namespace: 'default', type: 'merge' });
    const [first, second] = await Promise.all([
      terminal(installation, `${path}/portforward/22`),
      terminal(installation, 'virtualmachines/ports/portforward/22/tcp'),
    ]);
    first.type('one');
    second.type('two');
    await Promise.all([first.shows('guest:one'), second.shows('guest:two')]);
    first.socket.close();
    second.socket.close();
  });
});
