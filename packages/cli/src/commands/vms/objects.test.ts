import { EndpointSlice, NetworkPolicy, Pod, Role, RoleBinding, Secret, Service } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startScriptedServer } from '../../testing/scriptedServer.ts';
import { runVireo } from '../../testing/vireoProcess.ts';
import { startVmServer, type VmServer } from '../../testing/vmServer.ts';
import { claimSize } from './memoryDump.ts';
import { type Asked, readVerbosity } from './verbosity.ts';
import { diskOf } from './volumes.ts';

const inDefault = { namespace: 'default' };
let server: VmServer;
beforeAll(async () => {
  server = await startVmServer();
});
afterAll(() => server?.close());
const client = () => server.installation.server.client;
const text = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString();

describe('credentials', () => {
  it('make a secret of the VM’s own, add keys to it and take them away', async () => {
    await server.vm('web', 'Halted');
    const key = (value: string) => ['-u', 'ada', '--value', value, 'web'];
    expect(await server.run('credentials', 'add-ssh-key', ...key('ssh-ed25519 A'))).toMatchObject({
      code: 0,
      stderr: '',
    });
    const { spec, metadata } = await client().of(VirtualMachine).get('web', inDefault);
    const { sshPublicKey } = spec.template?.spec?.accessCredentials?.[0] ?? {};
    expect(sshPublicKey?.propagationMethod).toEqual({ qemuGuestAgent: { users: ['ada'] } });
    const name = sshPublicKey?.source.secret?.secretName ?? '';
    expect(name).toMatch(/^web-ssh-key-/);

    expect((await server.run('credentials', 'add-ssh-key', ...key('ssh-ed25519 B'))).stdout).toBe(
      `Successfully added the key to secret "${name}"\n`,
    );
    expect((await server.run('credentials', 'add-ssh-key', ...key('ssh-ed25519 B'))).stdout).toBe(
      `Secret "${name}" already contains this SSH key.\n`,
    );
    const secret = () => client().of(Secret).get(name, inDefault);
    expect((await secret()).metadata.ownerReferences?.[0]?.uid).toBe(metadata.uid);
    expect(
      Object.values((await secret()).data ?? {})
        .map(text)
        .sort(),
    ).toEqual(['ssh-ed25519 A', 'ssh-ed25519 B']);

    expect(await server.run('credentials', 'remove-ssh-key', ...key('ssh-ed25519 A'))).toMatchObject({ code: 0 });
    expect(Object.values((await secret()).data ?? {}).map(text)).toEqual(['ssh-ed25519 B']);
  });

  it('of a VM that runs need --force', async () => {
    await server.vm('busy', 'Always');
    await server.instance('busy');
    const { code, stderr } = await server.run('credentials', 'add-ssh-key', '-u', 'ada', '--value', 'k', 'busy');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'error: virtual machine busy is running. Use --force flag to update a running VM, it will take effect after restart\n',
    });
  });

  it('set a password in a secret, but not in somebody else’s', async () => {
    const credential = {
      userPassword: { source: { secret: { secretName: 'words' } }, propagationMethod: { qemuGuestAgent: {} } },
    };
    await client()
      .of(Secret)
      .create({ metadata: { name: 'words', ...inDefault } });
    await client()
      .of(VirtualMachine)
      .patch(
        'web',
        { spec: { template: { spec: { accessCredentials: [credential] } } } },
        { ...inDefault, type: 'merge' },
      );
    const set = (...more: string[]) =>
      server.run('credentials', 'set-password', '-u', 'ada', '-p', 'p w', 'web', ...more);
    expect((await set()).stderr).toContain('secret words does not have an owner reference pointing to VM web');
    expect((await set('--force')).stdout).toBe('Successfully set password in secret "words"\n');
    expect(text((await client().of(Secret).get('words', inDefault)).data?.ada)).toBe('p w');
  });
});

describe('expose', () => {
  it('makes a Service that selects the launcher pod, and says where it is reached and why it leads nowhere', async () => {
    const { stdout, stderr } = await server.run(
      'expose',
      'vm',
      'web',
      '--name=web-ssh',
      '--port=5555',
      '--target-port=22',
      '--type=NodePort',
    );
    const { spec } = await client().of(Service).get('web-ssh', inDefault);
    expect(spec).toMatchObject({
      type: 'NodePort',
      selector: { 'vm.kubevirt.io/name': 'web' },
      ports: [{ port: 5555, targetPort: 22, protocol: 'TCP' }],
    });
    expect(stdout.replaceAll(/ {2,}/g, '  ').trimEnd().split('\n')).toEqual([
      'Service web-ssh successfully exposed for vm web',
      `  ${spec?.clusterIP}:5555  from VMs, and from nodes`,
      '  web-ssh.default.svc.cluster.local:5555  from VMs',
      '  web-ssh:5555  from VMs in namespace default',
      `  NODE:${spec?.ports?.[0]?.nodePort}  from everywhere that reaches a node`,
    ]);
    expect(stderr.trimEnd().split('\n')).toEqual([
      'Warning: connections reach no VM: its selector vm.kubevirt.io/name=web selects no VM that is ready: web is pending',
    ]);
  });

  it.each([
    { args: ['pod', 'web', '--name=s', '--port=1'], says: 'unsupported resource type: pod' },
    { args: ['vm', 'web', '--name=s'], says: "couldn't find port via --port flag or introspection" },
    { args: ['vm', 'web', '--name=s', '--port=1', '--protocol=SCTP'], says: 'unknown protocol: SCTP' },
    { args: ['vm', 'web', '--name=s', '--port=1', '--type=ExternalName'], says: 'type: ExternalName not supported' },
    { args: ['vm', 'nobody', '--name=s', '--port=1'], says: 'error fetching VirtualMachine: ' },
  ])('$args is refused', async ({ args, says }) => {
    const { code, stderr } = await server.run('expose', ...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
  });
});

describe('network and dns', () => {
  beforeAll(async () => {
    const pod = { name: 'default', pod: {} };
    const interfaces = [{ name: 'default', masquerade: {}, ports: [{ port: 80 }] }];
    const status = { interfaces: [{ name: 'default', ipAddress: '10.244.0.7', mac: '02:00:00:00:00:07' }] };
    const uid = await server.instance('shop', ['Ready'], {
      labels: { app: 'shop' },
      networks: [pod],
      interfaces,
      status,
    });
    const labels = { app: 'shop', 'kubevirt.io': 'virt-launcher', 'kubevirt.io/created-by': uid };
    await client()
      .of(Pod)
      .create({
        metadata: { name: 'virt-launcher-shop', ...inDefault, labels },
        spec: { containers: [{ name: 'compute', image: 'x' }], nodeName: 'n1' },
      });
    await client()
      .of(Service)
      .create({
        metadata: { name: 'shop', ...inDefault },
        spec: { clusterIP: 'None', selector: { app: 'shop' }, ports: [{ port: 80 }] },
      });
    await client()
      .of(EndpointSlice)
      .create({
        metadata: { name: 'shop-1', ...inDefault, labels: { 'kubernetes.io/service-name': 'shop' } },
        addressType: 'IPv4',
        endpoints: [
          {
            addresses: ['10.244.0.7'],
            conditions: { ready: true },
            hostname: 'till',
            targetRef: { kind: 'Pod', name: 'virt-launcher-shop', ...inDefault },
          },
        ],
        ports: [{ name: '', port: 80, protocol: 'TCP' }],
      });
    await client()
      .of(NetworkPolicy)
      .create({
        metadata: { name: 'quiet', ...inDefault },
        spec: { podSelector: { matchLabels: { app: 'shop' } }, policyTypes: ['Ingress', 'Egress'] },
      });
  });
  /** The lines of a table, with single spaces. */
  const lines = (text: string): string[] => text.split('\n').map((line) => line.replaceAll(/ +/g, ' ').trim());

  it('list the addresses, Services and policies of a namespace, and what leads nowhere', async () => {
    const { code, stdout, stderr } = await server.run('network');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines(stdout)).toEqual(
      expect.arrayContaining([
        'shop Running default pod 10.244.0.7 02:00:00:00:00:07 n1',
        'shop ClusterIP None - 80/TCP 1 shop',
        'quiet ingress nothing shop',
        'quiet egress nothing shop',
        'Service web-ssh leads nowhere: its selector vm.kubevirt.io/name=web selects no VM that is ready: web is pending',
      ]),
    );
  });

  it('tell everything about a VM', async () => {
    const { stdout } = await server.run('network', 'shop');
    expect(lines(stdout)).toEqual([
      'VM shop in namespace default: Running on node n1',
      '',
      'INTERFACE NETWORK ADDRESS MAC LINK OPEN PORTS',
      'default pod 10.244.0.7 02:00:00:00:00:07 - 80/TCP',
      '',
      'NAME ADDRESS',
      'shop.default.svc.cluster.local 10.244.0.7',
      'till.shop.default.svc.cluster.local 10.244.0.7',
      '',
      'SERVICE TYPE CLUSTER-IP EXTERNAL PORTS ENDPOINTS',
      'shop ClusterIP None - 80/TCP 1',
      '',
      'POLICY DIRECTION ALLOWS',
      'quiet ingress nothing',
      'quiet egress nothing',
      '',
    ]);
    const { services, policies } = JSON.parse((await server.run('network', 'shop', '-o', 'json')).stdout);
    expect([services, policies]).toMatchObject([
      [{ name: 'shop', readyEndpoints: 1 }],
      [{ name: 'quiet', egress: [] }],
    ]);
  });

  it('show what a user may see, and say what not', async () => {
    const rules = [{ apiGroups: ['kubevirt.io'], resources: ['*'], verbs: ['get', 'list'] }];
    await client()
      .of(Role)
      .create({ metadata: { name: 'looker', ...inDefault }, rules });
    await client()
      .of(RoleBinding)
      .create({
        metadata: { name: 'looker', ...inDefault },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'looker' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ada' }],
      });
    const { code, stdout } = await server.run('network', '--as', 'ada');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^shop +Running +default +pod +10\.244\.0\.7/m);
    expect(stdout).toMatch(/^Services cannot be listed: services is forbidden: User "ada" cannot list/m);
    expect(stdout).toMatch(/^NetworkPolicies cannot be listed: /m);
  });

  it('look names up through the API where this host is no node', async () => {
    const { stdout, code } = await server.run('dns', 'shop', 'till.shop');
    expect(code).toBe(0);
    expect(lines(stdout)).toEqual([
      'shop.default.svc.cluster.local A 10.244.0.7',
      'till.shop.default.svc.cluster.local A 10.244.0.7',
      'Answered from the API, because this host does not reach the DNS server of guests.',
      '',
    ]);
    const { clusterIP } = (await client().of(Service).get('kubernetes', inDefault)).spec ?? {};
    expect((await server.run('dns', clusterIP ?? '')).stdout).toContain('PTR   kubernetes.default.svc.cluster.local');
  });

  it.each([
    {
      args: ['nobody'],
      says: 'error: nobody was not found: there is no nobody.default.svc.cluster.local, nobody.svc.cluster.local, nobody.cluster.local\nNames come from Services',
    },
    { args: ['example.org'], says: 'example.org: it is not a name of the cluster' },
    { args: [], says: 'error: this host does not reach the DNS server of the guests of https://' },
    { args: ['--setup'], says: 'error: this host does not reach the DNS server of the guests of https://' },
    { args: ['--setup', 'shop'], says: 'error: --setup and --remove take no names' },
  ])('dns $args says what is wrong', async ({ args, says }) => {
    const { code, stderr } = await server.run('dns', ...args);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
  });
});

it('expand prints the VM of the server and of a file', async () => {
  const { code, stdout } = await server.run('expand', '--vm', 'web', '-o', 'json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'VirtualMachine', metadata: { name: 'web' } });
  expect((await server.run('expand')).stderr).toContain('VirtualMachine name or file must be provided');
  expect((await server.run('expand', '-f', '/nowhere/vm')).stderr).toContain('error reading file');
});

it.each([
  { args: ['migrate', 'web'], says: 'Error migrating VirtualMachine ' },
  { args: ['objectgraph', 'nobody'], says: 'error listing object graph of VirtualMachine nobody: ' },
  { args: ['memory-dump', 'get', 'web', '--claim-name=c'], says: 'error dumping vm memory, ' },
  { args: ['evacuate-cancel', 'vm', 'web'], says: 'error canceling evacuation for VM default/web: ' },
])('what the server does not do is told in its words: $args', async ({ args, says }) => {
  const { code, stderr } = await server.run(...args);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
  expect(stderr).not.toMatch(/^\s+at /m);
});

describe('objectgraph', () => {
  beforeAll(async () => {
    const volumes = [{ name: 'v', secret: { secretName: 'nowhere' } }];
    await client()
      .of(VirtualMachine)
      .create({
        metadata: { name: 'graphed', ...inDefault },
        spec: {
          runStrategy: 'Halted',
          template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } }, volumes } },
        },
      });
  });

  it.each([
    ['tree', 'VirtualMachine graphed\n└── Secret nowhere (missing)\n'],
    ['yaml', 'status: present\n'],
    ['json', '"name": "nowhere",'],
    [
      'flat',
      'Secret   default     nowhere   config   missing   needed   spec.template.spec.volumes[0].secret.secretName\n',
    ],
  ])('prints -o %s', async (output, text) => {
    const { code, stdout, stderr } = await server.run('objectgraph', 'graphed', '-o', output);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(text);
  });

  it('prints manifests and says on standard error what they lack', async () => {
    const { code, stdout, stderr } = await server.run('objectgraph', 'vm/graphed', '-o', 'manifests');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'Warning: the list of manifests is incomplete: 1 missing\n' +
        'Warning: Secret default/nowhere is missing (spec.template.spec.volumes[0].secret.secretName)\n',
    });
    expect(stdout).toContain('kind: List\n');
  });

  it('prints nothing and fails where manifests lack something and --strict is given', async () => {
    expect(await server.run('objectgraph', 'graphed', '-o', 'manifests', '--strict')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/Secret default\/nowhere is missing.*To print it anyway, omit --strict/s),
    });
  });

  it.each([
    ['vmirs/nobody', [], 'error listing object graph of VirtualMachineInstanceReplicaSet nobody: '],
    ['vmi/nobody', [], 'error listing object graph of VirtualMachineInstance nobody: '],
    ['pod/web', [], 'pod/web is not an object with an object graph'],
    ['vm/', [], 'vm/ is not an object with an object graph'],
    ['vm/web', ['--vmi'], '--vmi cannot be combined with vm/web'],
  ])('knows what %s %j means', async (target, more, says) => {
    const { code, stderr } = await server.run('objectgraph', target, ...more);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
  });

  it('hands its filters on', async () => {
    const { stdout } = await server.run('objectgraph', 'graphed', '--format=flat', '--kind=pods', '--depth=3');
    expect(JSON.parse(stdout)).toEqual({ items: [] });
  });

  it('knows which forms there are', async () => {
    expect((await server.run('objectgraph', 'graphed', '-o', 'svg')).stderr).toContain(
      "unsupported output format: svg (must be 'json', 'yaml', 'tree', 'flat', 'dot', 'mermaid' or 'manifests')",
    );
    expect((await server.run('objectgraph', 'graphed', '-o', 'tree', '--format=flat')).stderr).toContain(
      '--format flat works only with -o json and -o yaml',
    );
  });
});

it('migrate-cancel without a migration says so', async () => {
  expect(await server.run('migrate-cancel', 'web')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Found no migration to cancel for web\n'),
  });
});

describe('log-verbosity', () => {
  it.each<[Asked, object]>([
    [
      { all: true },
      { type: 'show', components: ['virt-api', 'virt-controller', 'virt-handler', 'virt-launcher', 'virt-operator'] },
    ],
    [{ 'virt-api': true }, { type: 'show', components: ['virt-api'] }],
    [{ 'virt-handler': '7' }, { type: 'set', reset: false, levels: { virtHandler: 7 } }],
    [
      { all: '3', 'virt-handler': '7' },
      {
        type: 'set',
        reset: false,
        levels: { virtAPI: 3, virtController: 3, virtHandler: 7, virtLauncher: 3, virtOperator: 3 },
      },
    ],
    [{ reset: true }, { type: 'set', reset: true, levels: {} }],
  ])('%j', (asked, is) => {
    expect(readVerbosity(asked)).toEqual(is);
  });

  it.each<[Asked, string]>([
    [{}, 'no flag specified - expecting at least one flag'],
    [{ all: '10' }, 'all: log verbosity must be 0-9'],
    [{ all: true, 'virt-api': '1' }, 'only show or set is allowed'],
  ])('%j is refused', (asked, message) => {
    expect(() => readVerbosity(asked)).toThrow(message);
  });

  it('is kept in the object of the installation', async () => {
    await client()
      .of(KubeVirt)
      .create({ metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec: {} });
    const verbosity = async (...args: string[]) => (await server.run('adm', 'log-verbosity', ...args)).stdout;
    expect(await verbosity('--virt-handler=7')).toBe('successfully set the verbosity of the KubeVirt component(s)\n');
    expect(await verbosity('--virt-handler', '--virt-api')).toBe('virt-api = 2\nvirt-handler = 7\n');
    expect(await verbosity('--reset')).toBe(
      'successfully reset the verbosity of all KubeVirt components to default (2)\n',
    );
    expect(await verbosity('--virt-handler')).toBe('virt-handler = 2\n');
    expect((await server.run('permitted-devices')).stdout).toBe('No permitted devices.\n');
  });
});

describe('addvolume', () => {
  const options = { volumeName: 'data', diskType: 'disk', bus: 'scsi' };
  it.each([
    [{}, { disk: { bus: 'scsi' }, serial: 'data' }],
    [
      { diskType: 'lun', serial: '7', cache: 'none' },
      { lun: { bus: 'scsi' }, serial: '7', cache: 'none' },
    ],
  ])('%j', (given, disk) => {
    expect(diskOf({ ...options, ...given })).toEqual(disk);
  });

  it.each([
    [{ diskType: 'cdrom' }, "Invalid disk type 'cdrom'. Only LUN and Disk are supported."],
    [{ cache: 'all' }, 'error adding volume, invalid cache value all'],
  ])('%j is refused', (given, message) => {
    expect(() => diskOf({ ...options, ...given })).toThrow(message);
  });

  it('asks the VM, else the instance, and again when another came between', async () => {
    let tries = 0;
    const scripted = await startScriptedServer(({ method, path }) => {
      if (path.endsWith('/persistentvolumeclaims/data')) return { body: { metadata: { name: 'data' } } };
      if (method !== 'PUT' || !path.includes('/virtualmachineinstances/')) return undefined;
      const message = 'the server rejected our request due to an error in our request';
      if (++tries === 1) return { status: 422, body: { kind: 'Status', reason: 'Invalid', message, code: 422 } };
      return { status: 202, body: {} };
    });
    const run = (...args: string[]) => runVireo([...args, '--server', scripted.url], { HOME: '/nowhere' });
    expect(await run('addvolume', 'web', '--volume-name=data', '--dry-run')).toEqual({
      code: 0,
      stdout: 'Dry Run execution\nSuccessfully submitted add volume request to VM web for volume data\n',
      stderr: '',
    });
    expect(scripted.asked.at(-1)).toEqual({
      method: 'PUT',
      path: '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/web/addvolume',
      body: {
        name: 'data',
        disk: { disk: { bus: 'scsi' }, serial: 'data' },
        volumeSource: { persistentVolumeClaim: { claimName: 'data', hotpluggable: true } },
        dryRun: ['All'],
      },
    });
    expect((await run('removevolume', 'web', '--volume-name=data')).stdout).toBe(
      'Successfully submitted remove volume request to VM web for volume data\n',
    );
    expect((await run('addvolume', 'web', '--volume-name=other')).stderr).toContain(
      'error adding volume, Volume other is not a DataVolume or PersistentVolumeClaim\n',
    );
    await scripted.close();
  });
});

it.each([
  { guest: '1Gi', share: 0, size: '1124Mi' },
  { guest: '512Mi', share: 0.055, size: '648Mi' },
])('a dump of $guest needs a claim of $size', ({ guest, share, size }) => {
  expect(claimSize({ spec: { domain: { devices: {}, memory: { guest } } } }, share)).toBe(size);
});
