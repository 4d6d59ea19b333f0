import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runVireo } from '../../testing/vireoProcess.ts';
import { startVmServer, type VmServer } from '../../testing/vmServer.ts';

let server: VmServer;
beforeAll(async () => {
  server = await startVmServer();
});
afterAll(() => server?.close());

const run = (...args: string[]) => server.run(...args);
const vms = () => server.installation.server.client.of(VirtualMachine);

describe('wait', () => {
  beforeAll(async () => {
    await server.vm('halted', 'Halted');
    await server.vm('waited', 'Always');
    await server.instance('waited');
  });

  it.each([
    { args: ['waited'], code: 0, says: 'VM default/waited is running\n' },
    { args: ['halted', '--for=stopped'], code: 0, says: 'VM default/halted has stopped\n' },
    { args: ['nobody', '--for=deleted'], code: 0, says: 'VM default/nobody is deleted\n' },
    {
      args: ['halted'],
      code: 1,
      says: 'error: cannot wait for VM default/halted to run: it is stopped\nTo start it: vireo start halted -n default\n',
    },
    { args: ['nobody'], code: 1, says: 'error: cannot wait for VM default/nobody to run: VM nobody not found\n' },
    {
      args: ['waited', '--for=agent', '--timeout=1ms'],
      code: 124,
      says: 'guest agent: it is running, but its guest agent is not connected\n',
    },
  ])('$args ends with $code', async ({ args, code, says }) => {
    const ended = await run('wait', ...args);
    expect(ended.code).toBe(code);
    expect(code === 0 ? ended.stdout : ended.stderr).toContain(says);
  });
});

describe('start and stop', () => {
  it('change the VM, and say so in the words of virtctl', async () => {
    await server.vm('web', 'Halted');
    const strategy = async () => (await vms().get('web', { namespace: 'default' })).spec.runStrategy;

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
    await server.vm('slow', 'Always');
    await server.instance('slow');
    expect(await run('stop', 'slow', '--force=true', '--grace-period=3')).toMatchObject({ code: 0 });
    const { spec } = await server.installation.server.client
      .of(VirtualMachineInstance)
      .get('slow', { namespace: 'default' });
    expect(spec.terminationGracePeriodSeconds).toBe(3);
  });

  it.each([
    {
      args: ['start', 'nobody'],
      stderr:
        'Error starting VirtualMachine virtualmachine.kubevirt.io "nobody" not found\n' +
        'To list VMs: kubectl get vm,vmi -n default. To use another namespace: -n NAMESPACE.\n',
    },
    {
      args: ['pause', 'VirtualMachine', 'nobody', '-n', 'other'],
      stderr:
        'Error getting VirtualMachine nobody: virtualmachines.kubevirt.io "nobody" not found\n' +
        'To list VMs: kubectl get vm,vmi -n other. To use another namespace: -n NAMESPACE.\n',
    },
    {
      args: ['console', 'nobody'],
      stderr:
        'error: virtualmachineinstance.kubevirt.io "nobody" not found\n' +
        'If it is stopped, start it: vireo start nobody -n default. To list VMs: kubectl get vm,vmi -n default. To use another namespace: -n NAMESPACE.\n',
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
  const text = await readFile(server.kubeconfig, 'utf8');
  const file = join(server.installation.server.home, 'nobody');
  await writeFile(file, text.replace(/(server: https:\/\/[^:]+):\d+/, '$1:1'));
  return file;
}

describe('what reaches the node', () => {
  beforeAll(() => server.instance('box'));

  it.each([
    { args: ['pause', 'vmi', 'box'], says: 'VMI box was scheduled to pause', asks: 'PUT', action: 'pause' },
    { args: ['soft-reboot', 'box'], says: 'VMI box was scheduled to soft-reboot', asks: 'PUT', action: 'softreboot' },
    { args: ['reset', 'box'], says: 'VMI box was scheduled to reset', asks: 'PUT', action: 'reset' },
  ])('$args', async ({ args, says, asks, action }) => {
    expect(await run(...args)).toEqual({ code: 0, stdout: `${says}\n`, stderr: '' });
    expect(server.node.asked.join('\n')).toContain(
      `${asks} /v1/namespaces/default/virtualmachineinstances/box/${action}`,
    );
  });

  it('a screenshot is written to the file', async () => {
    const file = join(server.installation.server.home, 'box.png');
    expect(await run('vnc', 'screenshot', 'box', '-f', file)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await readFile(file)).toEqual(Buffer.from('\x89PNG'));
  });

  it('a halted VM that has no instance is not set to run', async () => {
    await server.vm('asleep', 'Halted');
    expect((await run('pause', 'vm', 'asleep')).stderr).toBe(
      'Error pausing VirtualMachineInstance asleep. VirtualMachine asleep is not set to run\n' +
        'To start it: vireo start asleep\n',
    );
  });
});

describe('console', () => {
  it('waits for the VM, carries both ways, and ends with the input', async () => {
    await server.instance('early');
    server.node.refuseNext(400, {
      kind: 'Status',
      apiVersion: 'v1',
      reason: 'BadRequest',
      message: 'not yet',
      code: 400,
    });
    const { child, shown, notices } = server.spawn(['console', 'early']);
    await eventually(() => shown().includes('login: '));
    expect(server.node.asked.filter((line) => line.includes('/early/console'))).toHaveLength(2);
    expect(notices()).toBe('Successfully connected to early console. Press Ctrl+] or Ctrl+5 to exit console.\n');
    child.stdin.write('root\n');
    await eventually(() => shown().includes('guest:root\n'));
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('is left with Ctrl-]', async () => {
    await server.instance('left');
    const { child, shown } = server.spawn(['console', 'left']);
    await eventually(() => shown().includes('login: '));
    child.stdin.write('bye\x1d');
    expect(await once(child, 'exit')).toEqual([0, null]);
    child.stdin.destroy();
  });

  it('ends when the guest does, though there is more input to come', async () => {
    await server.instance('ends');
    const { child, shown } = server.spawn(['console', 'ends']);
    await eventually(() => shown().includes('login: '));
    server.node.open.find(({ path }) => path.includes('/ends/'))?.socket.close(1000);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('of nobody is refused', async () => {
    expect(await run('console', 'nobody')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error: virtualmachineinstance.kubevirt.io "nobody" not found\n'),
    });
  });
});

it('version tells both', async () => {
  const { stdout } = await run('version');
  expect(stdout).toMatch(
    /^Client Version: vireo \d.*\nServer Version: version\.Info\{GitVersion:"v1\.9\.\d+", .*\}\n$/,
  );
});
