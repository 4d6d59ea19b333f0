import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startVmServer, type VmServer } from '../../testing/vmServer.ts';

let server: VmServer;
beforeAll(async () => {
  server = await startVmServer();
  await server.instance('box');
});
afterAll(() => server?.close());

/** What a port answers to a word: the stand-in greets, and repeats what it is told. */
async function talk(port: number, word: string): Promise<string> {
  const connection = connect(port, '127.0.0.1');
  let heard = '';
  connection.setEncoding('utf8').on('data', (chunk: string) => {
    heard += chunk;
  });
  connection.write(word);
  await eventually(() => heard.includes(`guest:${word}`));
  connection.destroy();
  return heard;
}

describe('port-forward', () => {
  it('leads connections to the guest, several ports at once, and says where', async () => {
    const { child, shown } = server.spawn(['port-forward', 'vmi/box', '0:22', 'tcp/0:80']);
    await eventually(() => shown().split('\n').length === 3);
    const [, ssh] = /^forwarding tcp 127\.0\.0\.1:(\d+) to 22$/m.exec(shown()) ?? [];
    const [, web] = /^forwarding tcp 127\.0\.0\.1:(\d+) to 80$/m.exec(shown()) ?? [];
    expect(await talk(Number(ssh), 'hello')).toBe('login: guest:hello');
    expect(await talk(Number(web), 'GET /')).toBe('login: guest:GET /');
    expect(server.node.asked.join('\n')).toMatch(/box\/portforward\/80\/tcp/);
    child.kill();
    await once(child, 'exit');
  });

  it('carries datagrams, each as one', async () => {
    const { child, shown } = server.spawn(['port-forward', 'vmi/box', 'udp/0:53']);
    await eventually(() => shown().includes('\n'));
    const [, port] = /^forwarding udp 127\.0\.0\.1:(\d+) to 53\n$/.exec(shown()) ?? [];
    const socket = createSocket('udp4');
    const heard: string[] = [];
    socket.on('message', (datagram) => heard.push(datagram.toString()));
    socket.send('one', Number(port), '127.0.0.1');
    socket.send('two', Number(port), '127.0.0.1');
    await eventually(() => heard.length === 3);
    expect(heard).toEqual(['login: ', 'guest:one', 'guest:two']);
    expect(server.node.asked.filter((line) => line.includes('/portforward/53/udp'))).toHaveLength(1);
    socket.close();
    child.kill();
    await once(child, 'exit');
  });

  it.each(['vmi/box/default', 'vmi/box.default'])(
    'of standard input and output to %s ends with the input',
    async (target) => {
      const { child, shown } = server.spawn(['port-forward', '--stdio=true', target, '22']);
      child.stdin.write('hello');
      await eventually(() => shown() === 'login: guest:hello');
      child.stdin.end();
      expect(await once(child, 'exit')).toEqual([0, null]);
    },
  );

  it('to a port that is taken says so', async () => {
    const first = server.spawn(['port-forward', 'vmi/box', '0:22']);
    await eventually(() => first.shown().includes('\n'));
    const [, port = ''] = /:(\d+) to/.exec(first.shown()) ?? [];
    const { code, stderr } = await server.run('port-forward', 'vmi/box', `${port}:22`);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`cannot listen on 127.0.0.1:${port}`),
    });
    first.child.kill();
  });
});

describe('vnc', () => {
  it('--proxy-only prints the port, carries one viewer, and ends with it', async () => {
    const { child, shown } = server.spawn(['vnc', 'box', '--proxy-only']);
    await eventually(() => shown().includes('\n'));
    const { port } = JSON.parse(shown());
    expect(await talk(port, 'RFB')).toBe('login: guest:RFB');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('starts the viewer that it finds, and ends with it', async () => {
    const directory = server.installation.server.home;
    const viewer = join(directory, 'vncviewer');
    // Says what it was called with and what it was shown.
    await writeFile(
      viewer,
      `#!${process.execPath}
const [host, port] = process.argv[2].split(':');
require('node:net').connect(port, host).once('data', (data) => {
  require('node:fs').writeFileSync(__filename + '.saw', String(data));
  process.exit(0);
});
`,
    );
    await chmod(viewer, 0o755);
    const { child, notices } = server.spawn(['vnc', 'box'], { PATH: directory });
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(notices()).toBe('');
    expect(await readFile(`${viewer}.saw`, 'utf8')).toBe('login: ');
  });

  it('without a viewer says what to do', async () => {
    const { child, notices } = server.spawn(['vnc', 'box'], { PATH: '/nowhere' });
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(notices()).toMatch(/^Error encountered: could not find remote-viewer or vncviewer .*\nTo install one/);
  });

  it('--preserve-session does not disturb whoever looks already', async () => {
    const first = server.spawn(['vnc', 'box', '--proxy-only']);
    await eventually(() => first.shown().includes('\n'));
    const second = await server.run('vnc', 'box', '--proxy-only', '--preserve-session');
    expect(second).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining("Can't access VMI box") });
    expect(first.child.exitCode).toBeNull();
    first.child.kill();
    await once(first.child, 'exit');
  });
});

it('usbredir --no-launch says where to connect, or why it cannot', async () => {
  const { code, stderr } = await server.run('usbredir', '--no-launch', 'box');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: Can't access VMI box: .*USB Redirection/);
});

describe('completion', () => {
  it('offers the names that the server knows', async () => {
    await server.vm('web', 'Halted');
    const offered = async (...words: string[]) => (await server.run('__complete', ...words)).stdout.split('\n');
    expect(await offered('start', 'w')).toEqual(['web\tVM', ':4', '']);
    expect(await offered('console', '')).toEqual(['box\tRunning', ':4', '']);
    expect(await offered('ssh', 'me@vm')).toEqual(['me@vm/web\tVM', 'me@vmi/box\tRunning', ':4', '']);
    expect(await offered('start', '-n', 'kubev')).toEqual(['kubevirt\tnamespace', ':4', '']);
    expect(await offered('-n', 'kubevirt', 'start', '')).toEqual([':4', '']);
  });
});

it('-v 6 tells every request', async () => {
  const { stderr } = await server.run('start', 'nobody', '-v=6');
  expect(stderr).toMatch(/^PUT https:.*\/virtualmachines\/nobody\/start 404 in \d+ ms$/m);
});

it('acts as somebody else', async () => {
  const { stderr } = await server.run('start', 'web', '--as', 'ada', '--as-group=dev');
  expect(stderr).toContain('User "ada" cannot update resource "virtualmachines/start"');
});

describe('vsock', () => {
  beforeAll(async () => {
    const configuration = { developerConfiguration: { featureGates: ['VSOCK'] } };
    const kubevirts = server.installation.server.client.of(KubeVirt);
    await kubevirts.create({ metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec: { configuration } });
    await vi.waitFor(() => server.instance('talker', [], { autoattachVSOCK: true }), { timeout: 10_000 });
  });

  it.each([
    [[], 'tls'],
    [['--tls=false'], 'plain'],
  ])('with %j carries standard input and output', async (flags, kind) => {
    const { child, shown } = server.spawn(['vsock', 'vm/talker', '1024', ...flags]);
    child.stdin.write('hello');
    await eventually(() => shown() === 'login: guest:hello');
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(server.node.asked.join('\n')).toContain(`talker/vsock/1024/${kind}`);
  });

  it('to a VM without it says so', async () => {
    const { code, stderr } = await server.run('vsock', 'vmi/box', '1024');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("Can't access VMI box: VM doesn't have VSOCK enabled"),
    });
  });

  it.each(['0', '65536', 'ssh'])('to port %s is refused', async (port) => {
    const { code, stderr } = await server.run('vsock', 'vmi/box', port);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Expected a port from 1 to 65535') });
  });
});
