import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startVmServer, type VmServer } from '../../testing/vmServer.ts';

let server: VmServer;
let directory: string;
beforeAll(async () => {
  server = await startVmServer();
  directory = await mkdtemp(join(tmpdir(), 'vireo-everyday-'));
});
afterAll(async () => {
  await server?.close();
  await rm(directory, { recursive: true, force: true });
});

const run = (...args: string[]) => server.run(...args);
const client = () => server.installation.server.client;

/** A VM that runs, as far as the server knows. */
async function running(name: string, conditions: readonly string[] = ['AgentConnected']) {
  await server.vm(name, 'Halted');
  await server.instance(name, conditions);
  const status = { printableStatus: 'Running' };
  await client().of(VirtualMachine).patchStatus(name, { status }, { namespace: 'default', type: 'merge' });
}

describe('list', () => {
  it('of an empty namespace says how to launch a VM', async () => {
    expect(await run('list', '-n', 'kube-system')).toEqual({
      code: 0,
      stdout: 'No VMs found in namespace kube-system. To launch one: vireo launch\n',
      stderr: '',
    });
  });

  it('shows VMs, for people and for programs', async () => {
    await running('web');
    await server.vm('db', 'Halted');
    expect((await run('ls')).stdout).toBe(
      'NAME   STATE     ADDRESS   IMAGE   CPU   MEMORY   DISK\n' +
        'db     Pending   -         -       1     64Mi     -\n' +
        'web    Running   -         -       1     64Mi     -\n',
    );
    expect((await run('list', '-A')).stdout).toMatch(/^NAMESPACE +NAME .*\ndefault +db /);
    expect((await run('list', '-o', 'wide')).stdout).toMatch(/NODE +AGE +GUEST OS .*\n.*\nweb +Running .* n1 /);
    expect((await run('list', '-o', 'name')).stdout).toBe('db\nweb\n');
    expect(JSON.parse((await run('list', '-o', 'json')).stdout)).toMatchObject([{ name: 'db' }, { node: 'n1' }]);
    expect((await run('list', '-o', 'yaml')).stdout).toContain('- name: db\n');
  });

  it('goes on with what changes', async () => {
    const { child, shown } = server.spawn(['list', '--watch']);
    await eventually(() => shown().includes('web'));
    const status = { printableStatus: 'Stopped' };
    await client().of(VirtualMachine).patchStatus('db', { status }, { namespace: 'default', type: 'merge' });
    await eventually(() => /\ndb +Stopped/.test(shown()));
    await client().of(VirtualMachine).delete('db', { namespace: 'default' });
    await eventually(() => /\ndb +Deleted/.test(shown()));
    child.kill();
  });
});

describe('an unknown VM', () => {
  it.each([[['info', 'wbe']], [['ssh', 'wbe']], [['delete', 'web', 'wbe']]])(
    'is refused with the near name by %j',
    async (args) => {
      expect(await run(...args)).toEqual({
        code: 1,
        stdout: '',
        stderr: 'error: VM wbe not found in namespace default\nDid you mean web?\n',
      });
      expect(await client().of(VirtualMachine).find('web', { namespace: 'default' })).toBeDefined();
    },
  );
});

describe('info', () => {
  it('says how a VM is and how to get in', async () => {
    const { code, stdout } = await run('info', 'web');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Name: +web\nNamespace: +default\nState: +Running/);
    expect(stdout).toContain('vireo exec web -n default -- uname -a');
    expect(JSON.parse((await run('info', 'web', '-o', 'json')).stdout)).toMatchObject({
      name: 'web',
      guestAgent: 'connected',
    });
  });
});

describe('exec', () => {
  it('runs a command by the agent, and ends as it ends', async () => {
    expect(await run('exec', 'web', '-e', 'A=b', '--', 'ls', '-l', 'a b')).toEqual({
      code: 3,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    expect(server.node.asked.slice(-2)).toEqual([
      expect.stringMatching(/^PUT .*\/web\/exec \{"command":\["env","A=b","ls","-l","a b"\],"waitSeconds":20\}$/),
      expect.stringMatching(/^GET .*\/web\/exec\/status\?pid=42&waitSeconds=20$/),
    ]);
  });

  it('hands on what is piped in', async () => {
    const { child } = server.spawn(['exec', 'web', '--', 'cat']);
    child.stdin.end('hello');
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(3);
    expect(server.node.asked.at(-2)).toContain(`"stdin":"${Buffer.from('hello').toString('base64')}"`);
  });

  it('of a program that is not there ends as a shell says it', async () => {
    const message = 'the guest agent of default/web refused the command: no such file';
    server.node.refuseNext(400, {
      kind: 'Status',
      apiVersion: 'v1',
      message,
      reason: 'BadRequest',
      code: 400,
      details: { causes: [{ reason: 'AgentCommandFailed', message }] },
    });
    const { code, stderr } = await run('exec', 'web', '--', 'nothing');
    expect({ code, stderr }).toEqual({ code: 127, stderr: expect.stringContaining(`error: ${message}\n`) });
  });

  it('of a VM that has neither agent nor key says what to do', async () => {
    await running('deaf', []);
    const { code, stderr } = await run('exec', 'deaf', '--', 'id');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: cannot connect to VM deaf: its guest agent is not connected, and it does not accept any ssh key of this host\nIf the guest has just started, try again in a moment\./,
    );
  });

  it.each([
    [['exec', 'web', 'ls', '-Q'], 'Put -- before the command: vireo exec web -- ls -l'],
    [['exec', 'web'], "missing required argument 'command'\nPut -- before the command: vireo exec web -- ls -l"],
    [['exec', 'web', '--env', 'A', '--', 'id'], '--env A is not NAME=VALUE\nRun the command with --help for usage.'],
  ])('%j is refused', async (args, text) => {
    const { code, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(text) });
  });
});

it('exec, shell and copy of a VM that is stopped say how to start it', async () => {
  await server.vm('off', 'Halted');
  const options = { namespace: 'default', type: 'merge' } as const;
  await client()
    .of(VirtualMachine)
    .patchStatus('off', { status: { printableStatus: 'Stopped' } }, options);
  for (const args of [
    ['exec', 'off', '--', 'id'],
    ['shell', 'off'],
    ['copy', 'off:/a', '.'],
  ])
    expect(await run(...args)).toMatchObject({
      code: 1,
      stderr: 'error: VM off is not running: Stopped\nTo start it: vireo start off -n default\n',
    });
});

describe('copy by the agent', () => {
  it('writes to the guest, and reads from it', async () => {
    const file = join(directory, 'file');
    await writeFile(file, 'hello');
    expect(await run('copy', file, 'web:/root/')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(server.node.asked.at(-1)).toMatch(
      /\/web\/file\/write \{"path":"\/root\/file","content":"aGVsbG8=","append":false\}$/,
    );
    expect(await run('copy', 'web:/etc/name', directory)).toMatchObject({ code: 0, stderr: '' });
    expect(await readFile(join(directory, 'name'), 'utf8')).toBe('content\n');
  });

  it.each([
    [['copy', '/etc', 'web:/a'], 'To copy it with its contents: --recursive'],
    [
      ['copy', '-r', '/etc/apt', 'web:/a'],
      'copying a directory needs ssh, but VM web does not accept any ssh key of this host',
    ],
    [['copy', '/etc/hosts', 'web:hosts'], 'hosts is not an absolute path'],
  ])('%j is refused', async (args, text) => {
    const { code, stderr } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(text) });
  });
});

describe('delete', () => {
  it('tells what would go, and deletes nothing in a dry run', async () => {
    expect(await run('delete', 'off', '--dry-run')).toMatchObject({
      code: 0,
      stdout: 'Dry Run execution\nVM off would be deleted\n',
    });
  });

  it('waits until the VM is gone', async () => {
    expect(await run('delete', 'off')).toEqual({ code: 0, stdout: 'VM off deleted\n', stderr: '' });
    expect(await client().of(VirtualMachine).find('off', { namespace: 'default' })).toBeUndefined();
  });

  it('of one that stays says how to switch it off', async () => {
    const finalizers = ['example.io/stay'];
    await server.vm('stays', 'Halted');
    const vms = client().of(VirtualMachine);
    await vms.patch('stays', { metadata: { finalizers } }, { namespace: 'default', type: 'merge' });
    expect(await run('delete', 'stays', '--timeout', '1')).toEqual({
      code: 124,
      stdout: '',
      stderr:
        'error: stays is being deleted, but still exists after 1 s\n' +
        'Its guest may need longer to shut down. To power it off: vireo delete stays --force -n default\n',
    });
    await vms.patch('stays', { metadata: { finalizers: null } }, { namespace: 'default', type: 'merge' });
  });
});
