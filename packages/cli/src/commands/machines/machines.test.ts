import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { unixSocket } from '@vireo/extension/streams/nodeConnections.ts';
import { type Installation, install } from '@vireo/extension/testing/installation.ts';
import { type NodeStandIn, startNodeStandIn } from '@vireo/extension/testing/nodeStandIn.ts';
import { Client } from '@vireo/kube';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entry, isolatedEnvironment, runVireo } from '../../testing/vireoProcess.ts';

/*
 * The real command against the real server and extension. Only the node is a stand-in: a real one needs libvirt and a
 * guest, and is driven by the tests of packages/node.
 */
let node: NodeStandIn;
let installation: Installation;
let kubeconfig: string;
const children: ChildProcessWithoutNullStreams[] = [];

beforeAll(async () => {
  node = await startNodeStandIn();
  installation = await install({ nodes: () => unixSocket(node.socketPath) });
  kubeconfig = join(installation.server.home, 'kubeconfig');
});
afterAll(async () => {
  for (const child of children) child.kill();
  await installation?.close();
  await node?.close();
});

const run = (...args: string[]) => runVireo(args, { KUBECONFIG: kubeconfig });

const spec = { domain: { devices: {}, memory: { guest: '64Mi' } } };

const machines = () => installation.server.client.of(VirtualMachine);

const machine = (name: string, runStrategy: string) =>
  machines().create({ metadata: { name, namespace: 'default' }, spec: { runStrategy, template: { spec } } });

/** An instance that runs, as far as the server knows. */
async function instance(name: string): Promise<void> {
  const handler = { username: 'system:serviceaccount:kubevirt:kubevirt-handler', groups: ['system:masters'] };
  const instances = new Client(installation.server.inProcess(handler)).of(VirtualMachineInstance);
  await instances.create({ metadata: { name, namespace: 'default' }, spec });
  const status = { phase: 'Running', nodeName: 'n1', interfaces: [{ name: 'default' }] };
  await instances.patch(name, { status }, { namespace: 'default', type: 'merge' });
}

describe('start and stop', () => {
  it('change the machine, and say so in the words of virtctl', async () => {
    await machine('web', 'Halted');
    const strategy = async () => (await machines().get('web', { namespace: 'default' })).spec.runStrategy;

    expect(await run('start', 'web', '--dry-run')).toEqual({
      code: 0,
      stdout: 'Dry Run execution\nVM web was scheduled to start\n',
      stderr: '',
    });
    expect(await strategy()).toBe('Halted');

    expect(await run('-n', 'default', 'start', 'web')).toMatchObject({ stdout: 'VM web was scheduled to start\n' });
    expect(await strategy()).toBe('Always');

    expect(await run('stop', 'web')).toMatchObject({ code: 0, stdout: 'VM web was scheduled to stop\n' });
    expect(await strategy()).toBe('Halted');
  });

  it('by force shortens the time that the guest has', async () => {
    await machine('slow', 'Always');
    await instance('slow');
    expect(await run('stop', 'slow', '--force=true', '--grace-period=3')).toMatchObject({ code: 0 });
    const { spec } = await installation.server.client.of(VirtualMachineInstance).get('slow', { namespace: 'default' });
    expect(spec.terminationGracePeriodSeconds).toBe(3);
  });

  it.each([
    {
      args: ['start', 'nobody'],
      stderr:
        'Error starting VirtualMachine virtualmachine.kubevirt.io "nobody" not found\n' +
        'See what there is: kubectl get vm,vmi -n default. Another namespace is named with -n.\n',
    },
    {
      args: ['pause', 'VirtualMachine', 'nobody', '-n', 'other'],
      stderr:
        'Error getting VirtualMachine nobody: virtualmachines.kubevirt.io "nobody" not found\n' +
        'See what there is: kubectl get vm,vmi -n other. Another namespace is named with -n.\n',
    },
  ])('$args is refused with what to do, and no stack', async ({ args, stderr }) => {
    expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr });
  });

  it('tell when no server answers', async () => {
    const { code, stderr } = await runVireo(['start', 'web'], {
      KUBECONFIG: await kubeconfigOfNobody(),
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error starting VirtualMachine .*ECONNREFUSED.*\nIs the server at .* running\?.*\n$/);
  });
});

/** The same, but for a port where nobody listens. */
async function kubeconfigOfNobody(): Promise<string> {
  const text = await readFile(kubeconfig, 'utf8');
  const file = join(installation.server.home, 'nobody');
  await writeFile(file, text.replace(/(server: https:\/\/[^:]+):\d+/, '$1:1'));
  return file;
}

describe('what reaches the node', () => {
  beforeAll(() => instance('box'));

  it.each([
    { args: ['pause', 'vmi', 'box'], says: 'VMI box was scheduled to pause', asks: 'PUT', action: 'pause' },
    { args: ['soft-reboot', 'box'], says: 'VMI box was scheduled to soft-reboot', asks: 'PUT', action: 'softreboot' },
    { args: ['reset', 'box'], says: 'VMI box was scheduled to reset', asks: 'PUT', action: 'reset' },
  ])('$args', async ({ args, says, asks, action }) => {
    expect(await run(...args)).toEqual({ code: 0, stdout: `${says}\n`, stderr: '' });
    expect(node.asked.join('\n')).toContain(`${asks} /v1/namespaces/default/virtualmachineinstances/box/${action}`);
  });

  it('a screenshot is written to the file', async () => {
    const file = join(installation.server.home, 'box.png');
    expect(await run('vnc', 'screenshot', 'box', '-f', file)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readFile(file)).toEqual(Buffer.from('\x89PNG'));
  });

  it('a halted machine that has no instance is not set to run', async () => {
    await machine('asleep', 'Halted');
    expect((await run('pause', 'vm', 'asleep')).stderr).toBe(
      'Error pausing VirtualMachineInstance asleep. VirtualMachine asleep is not set to run\n' +
        'Start it with: vireo start asleep\n',
    );
  });
});

/** A command that stays, as a script holds it. */
function spawnVireo(...args: string[]): {
  child: ChildProcessWithoutNullStreams;
  shown: () => string;
  notices: () => string;
} {
  const child = spawn(process.execPath, [entry, ...args], {
    env: isolatedEnvironment({ KUBECONFIG: kubeconfig }),
  });
  children.push(child);
  let shown = '';
  let notices = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    notices += chunk;
  });
  return { child, shown: () => shown, notices: () => notices };
}

describe('console', () => {
  it('waits for the machine, carries both ways, and ends with the input', async () => {
    await instance('early');
    node.refuseNext(400, { kind: 'Status', apiVersion: 'v1', reason: 'BadRequest', message: 'not yet', code: 400 });
    const { child, shown, notices } = spawnVireo('console', 'early');
    await eventually(() => shown().includes('login: '));
    expect(node.asked.filter((line) => line.includes('/early/console'))).toHaveLength(2);
    expect(notices()).toBe('Successfully connected to early console. Press Ctrl+] or Ctrl+5 to exit console.\n');
    child.stdin.write('root\n');
    await eventually(() => shown().includes('guest:root\n'));
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('is left with Ctrl-]', async () => {
    await instance('left');
    const { child, shown } = spawnVireo('console', 'left');
    await eventually(() => shown().includes('login: '));
    child.stdin.write('bye\x1d');
    expect(await once(child, 'exit')).toEqual([0, null]);
    child.stdin.destroy();
  });

  it('ends when the guest does, though there is more input to come', async () => {
    await instance('ends');
    const { child, shown } = spawnVireo('console', 'ends');
    await eventually(() => shown().includes('login: '));
    node.open.find(({ path }) => path.includes('/ends/'))?.socket.close(1000);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('of nobody is refused', async () => {
    expect(await run('console', 'nobody')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error: virtualmachineinstance.kubevirt.io "nobody" not found\n'),
    });
  });
});

describe('port-forward', () => {
  it('leads connections to the guest, and says where', async () => {
    await instance('ports');
    const { child, shown } = spawnVireo('port-forward', 'vmi/ports', '0:22');
    await eventually(() => shown().includes('\n'));
    const [, port] = /^forwarding tcp 127\.0\.0\.1:(\d+) to 22\n$/.exec(shown()) ?? [];
    const connection = connect(Number(port), '127.0.0.1');
    let heard = '';
    connection.setEncoding('utf8').on('data', (chunk: string) => {
      heard += chunk;
    });
    connection.write('hello');
    await eventually(() => heard.includes('login: ') && heard.includes('guest:hello'));
    connection.destroy();
    child.kill();
    await once(child, 'exit');
  });

  it('of standard input and output ends with the input', async () => {
    await instance('proxy');
    const { child, shown } = spawnVireo('port-forward', '--stdio=true', 'vmi/proxy/default', '22');
    child.stdin.write('hello');
    await eventually(() => shown() === 'login: guest:hello');
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

it('version tells both', async () => {
  const { stdout } = await run('version');
  expect(stdout).toMatch(
    /^Client Version: vireo \d.*\nServer Version: version\.Info\{GitVersion:"v1\.9\.\d+", .*\}\n$/,
  );
});
