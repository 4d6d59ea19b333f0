import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PersistentVolumeClaim, Secret } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { FITTED } from '@vireo/api/kinds/cdi/names.ts';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startVmServer, type VmServer } from '../../../testing/vmServer.ts';

describe('on a server', () => {
  let server: VmServer;
  let directory: string;
  beforeAll(async () => {
    server = await startVmServer();
    directory = await mkdtemp(join(tmpdir(), 'vireo-launch-'));
  });
  afterAll(async () => {
    await server?.close();
    await rm(directory, { recursive: true, force: true });
  });
  const at = { namespace: 'default' };
  const vms = () => server.installation.server.client.of(VirtualMachine);

  const say = (name: string, status: object) => vms().patchStatus(name, { status }, { ...at, type: 'merge' });
  const ways = (name: string, removal: string) => [
    expect.stringMatching(new RegExp(`^ {2}vireo shell ${name} +# `)),
    expect.stringMatching(new RegExp(`^ {2}vireo console ${name} +# `)),
    expect.stringMatching(new RegExp(`^ {2}vireo stop ${name} +# `)),
    expect.stringMatching(new RegExp(`^ {2}vireo delete ${name} +# ${removal}$`)),
    '',
  ];

  it('a VM with a claim shows how its disk is filled, waits for the guest, and says how to reach it', async () => {
    const { child, shown } = server.spawn([
      'launch',
      '--name=web',
      '--cpus=2',
      '--ssh-key',
      'ssh-ed25519 AAAA me@here',
    ]);
    const exited = new Promise((resolve) => child.once('close', resolve));
    await eventually(() => shown().includes('Pending'));
    const { spec } = await vms().get('web', at);
    expect(spec.template?.spec?.domain.cpu?.cores).toBe(2);
    const [template] = spec.dataVolumeTemplates ?? [];
    expect(template).toMatchObject({
      metadata: { name: 'web-root', annotations: { [FITTED]: 'true' } },
      spec: {
        source: { registry: { url: 'docker://vireo/guest', pullMethod: 'node' } },
        storage: { resources: { requests: { storage: '1Gi' } } },
      },
    });
    const dataVolumes = server.installation.server.client.of(DataVolume);
    await dataVolumes.create({ metadata: { name: 'web-root', ...at }, spec: template?.spec as DataVolume['spec'] });
    const fill = (status: object) => dataVolumes.patchStatus('web-root', { status }, { ...at, type: 'merge' });
    await eventually(() => shown().includes('Creating the disk'));
    await fill({ phase: 'ImportInProgress', progress: '60.00%' });
    await eventually(() => shown().includes('Importing'));
    await fill({ phase: 'Succeeded', progress: '100.0%' });
    await server.instance('web');
    await say('web', { printableStatus: 'Running', conditions: [] });
    await eventually(() => shown().includes('Waiting for the guest'));
    await server.connectAgent('web');
    expect(await exited).toBe(0);
    // Between the import and the start the VM may be seen waiting once more.
    const lines = shown().split('\n');
    expect(lines.filter((line, index) => line !== '  Pending …' || lines.indexOf(line) === index)).toEqual([
      'Created VM default/web from vireo/guest.',
      'Its disk is claim web-root (1Gi), which keeps its data across restarts.',
      '  Pending …',
      '  Creating the disk …',
      '  Importing the image …',
      expect.stringMatching(/^ {2}Running after .* m?s$/),
      '  Waiting for the guest to boot …',
      expect.stringMatching(/^ {2}The guest booted after .* m?s$/),
      'Log in as vireo with password vireo:',
      ...ways('web', 'delete it and its disk'),
    ]);
  });

  it('an ephemeral VM says that it forgets, and why it does not run', async () => {
    const { child, shown } = server.spawn(['launch', 'quay.io/a/b:1', 'brief', '--ephemeral', '--password=x']);
    const exited = new Promise((resolve) => child.once('close', resolve));
    await eventually(() => shown().includes('Pending'));
    const { spec } = await vms().get('brief', at);
    expect(spec.dataVolumeTemplates).toBeUndefined();
    expect(spec.template?.spec?.volumes?.[0]).toEqual({ name: 'root', containerDisk: { image: 'quay.io/a/b:1' } });
    await say('brief', {
      printableStatus: 'ErrImagePull',
      conditions: [{ type: 'Synchronized', status: 'False', message: 'no such image' }],
    });
    await eventually(() => shown().includes('no such image'));
    await say('brief', { printableStatus: 'Running', conditions: [] });
    expect(await exited).toBe(0);
    expect(shown().split('\n')).toEqual([
      'Created VM default/brief from quay.io/a/b:1.',
      'Its disk is recreated from the image at every start: its data is lost when the VM stops.',
      '  Pending …',
      '  ErrImagePull: no such image …',
      expect.stringMatching(/^ {2}Running after .* m?s$/),
      'Log in as vireo with password x:',
      ...ways('brief', 'delete it'),
    ]);
  });

  it('a VM whose launch is interrupted stays, and the user is told so', async () => {
    const { child, shown } = server.spawn(['launch', '--name=left']);
    const exited = new Promise((resolve) => child.once('close', resolve));
    await eventually(() => shown().includes('Pending'));
    child.kill('SIGINT');
    expect(await exited).toBe(130);
    expect(shown()).toMatch(/\nleft continues to start\. To delete it: vireo delete left -n default\n$/);
    await vms().get('left', at);
  });

  it('a VM that does not come up in time says why', async () => {
    const { code, stdout, stderr } = await server.run('launch', '--name=slow', '--timeout', '1');
    expect({ code, stdout }).toEqual({ code: 124, stdout: expect.stringContaining('  Pending …\n') });
    expect(stderr).toBe(
      'error: slow is not running yet: Pending\n' +
        'For details: kubectl describe vm slow -n default. To wait longer: --timeout 10m.\n',
    );
  });

  it('a VM of the catalogue has its user, memory and disk, the networks that were named, and its user data', async () => {
    const networks = server.installation.server.client.of(NetworkAttachmentDefinition);
    await networks.create({
      metadata: { name: 'lab', ...at },
      spec: { config: '{"type": "bridge", "bridge": "br0"}' },
    });
    const file = join(directory, 'setup.yaml');
    await writeFile(file, `#cloud-config\nfinal_message: ${'long '.repeat(500)}\n`);
    const args = ['--disk=20Gi', '--memory=256Mi', '--network=lab', '--cloud-init', file, '--no-wait'];
    const { code, stdout } = await server.run('launch', 'fedora', 'full', ...args);
    expect({ code, stdout: stdout.split('\n').slice(0, 3) }).toEqual({
      code: 0,
      stdout: [
        'Created VM default/full from fedora (quay.io/containerdisks/fedora:43).',
        'Its disk is claim full-root (20Gi), which keeps its data across restarts.',
        'Warning: with less than 1Gi of memory, it may not boot.',
      ],
    });
    const { metadata, spec } = await vms().get('full', at);
    expect(spec.template?.spec).toMatchObject({
      domain: {
        devices: {
          interfaces: [
            { name: 'default', masquerade: {} },
            { name: 'net1', bridge: {} },
          ],
        },
      },
      networks: [{ pod: {} }, { multus: { networkName: 'lab' } }],
      volumes: [{ name: 'root' }, { cloudInitNoCloud: { secretRef: { name: 'full-cloud-init' } } }],
    });
    const secret = await server.installation.server.client.of(Secret).get('full-cloud-init', at);
    expect(secret.metadata.ownerReferences).toMatchObject([{ kind: 'VirtualMachine', uid: metadata.uid }]);
    expect(Buffer.from(secret.data?.userdata ?? '', 'base64').toString()).toContain('user: fedora');
  });

  it.each<[args: string[], stderr: RegExp]>([
    [['web'], /^error: "web" is not an image in the catalog .*\nDid you mean: vireo launch --name web\? /],
    [['--name=slow'], /^error: cannot launch slow: namespace default already has a VM of that name\nTo start it: /],
    [
      ['--name=new', '--network=blue'],
      /^error: network "blue" not found in namespace default\nAvailable networks: lab\n$/,
    ],
    [['--name=new', '--network=x/blue'], /network "blue" not found in namespace x\nCreate a Net/],
    [['--name=new', '--disk=large'], /^error: --disk large: .*\nFor example: --disk 1Gi\n$/],
    [['--name=new', '--disk=1'], /^error: --disk 1: it must be at least 1Mi\n/],
    [['--name=new', '--memory=much'], /^error: --memory much: /],
    [['--name=new', '--cpus=0'], /Expected a number of CPUs, 1 or more\./],
    [['--name=new', '--disk=1Gi', '--ephemeral'], /'--disk <quantity>' cannot be used with option '--ephemeral'/],
    [
      ['--name=new', '--ssh-key=/nowhere'],
      /^error: --ssh-key \/nowhere is neither a public key nor a file that contains one/,
    ],
    [['--name=new', '--cloud-init=/nowhere'], /^error: --cloud-init \/nowhere cannot be read/],
    [
      ['--name=kept', '--cloud-init=LONG'],
      /^error: cannot launch kept: namespace default already has a Secret kept-cloud-init\nChoose/,
    ],
    [['--name=taken'], /^error: cannot launch taken: namespace default already has a claim taken-root\nChoose another/],
  ])('launch %j is refused', async (args, expected) => {
    if (args[0] === '--name=taken')
      await server.installation.server.client.of(PersistentVolumeClaim).create({
        metadata: { name: 'taken-root', ...at },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
      });
    const long = join(directory, 'long.yaml');
    if (args[0] === '--name=kept') {
      await writeFile(long, `#cloud-config\nfinal_message: ${'long '.repeat(500)}\n`);
      await server.installation.server.client.of(Secret).create({ metadata: { name: 'kept-cloud-init', ...at } });
    }
    const { code, stderr } = await server.run('launch', ...args.map((arg) => arg.replace('LONG', long)));
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(expected) });
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
    const made = await vms().create({ ...parse(stdout), metadata: { name: 'made', namespace: 'default' } });
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
