import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type MachineServer, startMachineServer } from '../../../testing/machineServer.ts';
import { launched } from './image.ts';
import { launchedMachine, progressOf } from './machine.ts';

it.each([
  { words: [], is: { image: 'vireo/guest' } },
  { words: ['web'], is: { image: 'vireo/guest', name: 'web' } },
  { words: ['quay.io/a/b'], is: { image: 'quay.io/a/b' } },
  { words: ['fedora:41'], is: { image: 'fedora:41' } },
  { words: ['fedora', 'web'], is: { image: 'fedora', name: 'web' } },
])('launch $words means $is', ({ words: [first, second], is }) => {
  expect(launched(first, second)).toEqual(is);
});

describe('the way up', () => {
  const machine = (
    printableStatus: string,
    ...conditions: { type: string; status: string; reason?: string; message?: string }[]
  ) =>
    progressOf({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: {},
      status: { printableStatus, conditions },
    });

  it('is told by its status, and by its cause where something is wrong', () => {
    expect(machine('Running')).toEqual({ status: 'Running', isUp: true });
    expect(
      machine('Starting', { type: 'Ready', status: 'False', reason: 'VMINotExists', message: 'VMI does not exist' }),
    ).toEqual({
      status: 'Starting',
      isUp: false,
    });
    expect(
      machine(
        'ErrorUnschedulable',
        { type: 'Ready', status: 'False', reason: 'Other', message: 'not ready' },
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes have enough memory' },
      ),
    ).toEqual({ status: 'ErrorUnschedulable', isUp: false, cause: '0/1 nodes have enough memory' });
  });
});

it('what users give is data in the user data', () => {
  const machine = launchedMachine({
    image: 'vireo/guest',
    name: 'web',
    namespace: 'lab',
    memory: '1Gi',
    cpus: 2,
    user: 'a: b',
    sshKeys: ['k'],
    password: '#: x',
  });
  const volumes = machine.spec.template?.spec?.volumes ?? [];
  expect(parse(volumes[1]?.cloudInitNoCloud?.userData ?? '')).toEqual({
    user: 'a: b',
    ssh_authorized_keys: ['k'],
    password: '#: x',
    chpasswd: { expire: false },
    ssh_pwauth: true,
    hostname: 'web',
  });
});

describe('on a server', () => {
  let server: MachineServer;
  beforeAll(async () => {
    server = await startMachineServer();
  });
  afterAll(() => server?.close());
  const machines = () => server.installation.server.client.of(VirtualMachine);

  it('makes a machine, shows each step once, and says how to reach it', async () => {
    const { child, shown } = server.spawn(['launch', 'web', '--cpus=2', '--ssh-key', 'ssh-ed25519 AAAA me@here']);
    const exited = new Promise((resolve) => child.once('close', resolve));
    await eventually(() => shown().includes('Pending'));
    const say = (status: object) => machines().patchStatus('web', { status }, { namespace: 'default', type: 'merge' });
    await say({
      printableStatus: 'ErrImagePull',
      conditions: [{ type: 'Synchronized', status: 'False', message: 'no such image' }],
    });
    await eventually(() => shown().includes('no such image'));
    await say({ printableStatus: 'Running', conditions: [] });
    expect(await exited).toBe(0);
    expect(shown().split('\n')).toEqual([
      'Created virtual machine default/web from vireo/guest.',
      '  Pending',
      '  ErrImagePull: no such image',
      expect.stringMatching(/^ {2}Running after .* m?s$/),
      'Log in as vireo with password vireo:',
      expect.stringMatching(/^ {2}vireo console web +# /),
      expect.stringMatching(/^ {2}vireo ssh vireo@vm\/web +# /),
      expect.stringMatching(/^ {2}vireo stop web +# /),
      expect.stringMatching(/^ {2}kubectl delete vm web +# /),
      '',
    ]);
    const { spec } = await machines().get('web', { namespace: 'default' });
    expect(spec.template?.spec?.domain.cpu?.cores).toBe(2);
  });

  it('that does not come up in time says why', async () => {
    const { code, stdout, stderr } = await server.run('launch', 'slow', '--timeout', '1');
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('  Pending\n') });
    expect(stderr).toBe(
      'error: slow does not run yet: Pending\n' +
        'See more: kubectl describe vm slow -n default. Wait longer with --timeout SECONDS.\n',
    );
  });

  it('of a name that is taken is refused', async () => {
    expect(await server.run('launch', 'slow', '--no-wait')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot launch slow: virtualmachines.kubevirt.io "slow" already exists'),
    });
  });

  it('what `create vm` prints is taken', async () => {
    const { stdout } = await server.run(
      'create',
      'vm',
      '--name',
      'made',
      '--volume-containerdisk=src:vireo/guest',
      '--user=ada',
      '--ssh-key=ssh-ed25519 A',
    );
    const made = await machines().create({ ...parse(stdout), metadata: { name: 'made', namespace: 'default' } });
    expect(made.spec.template?.spec?.volumes).toHaveLength(2);
  });

  it('flags that contradict each other are refused', async () => {
    const { code, stderr } = await server.run('create', 'vm', '--memory=1Gi', '--instancetype=u1');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'error: if any flags in the group [memory instancetype infer-instancetype infer-instancetype-from] are set none of the others can be; [instancetype memory] were all set\n',
    });
  });
});
