import { PersistentVolumeClaim } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { Client } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unixSocket } from '../../streams/nodeConnections.ts';
import { type Installation, install } from '../../testing/installation.ts';
import { type NodeStandIn, startNodeStandIn } from '../../testing/nodeStandIn.ts';

let node: NodeStandIn;
let installation: Installation;
let component: Client;
const at = { namespace: 'default' };

beforeAll(async () => {
  node = await startNodeStandIn();
  installation = await install({ nodes: () => unixSocket(node.socketPath) });
  component = new Client(
    installation.server.inProcess({
      username: 'system:serviceaccount:kubevirt:kubevirt-handler',
      groups: ['system:masters', 'system:authenticated'],
    }),
  );
  const claims = installation.server.client.of(PersistentVolumeClaim);
  for (const name of ['one', 'two', 'disk'])
    await claims.create({
      metadata: { name, ...at },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    });
  await running('writer', { disks: [{ name: 'd', disk: { bus: 'virtio' } }], claims: { d: 'disk' } });
});
afterAll(async () => {
  await installation?.close();
  await node?.close();
});

interface Parts {
  readonly disks?: NonNullable<VirtualMachineInstance['spec']['domain']['devices']['disks']>;
  /** Claims by volume; they come and go. */
  readonly claims?: Readonly<Record<string, string>>;
}

const DRIVES: Parts['disks'] = [
  { name: 'cd', cdrom: { bus: 'sata' } },
  { name: 'root', disk: { bus: 'virtio' } },
];

const specOf = ({ disks = DRIVES, claims = {} }: Parts): VirtualMachineInstance['spec'] => ({
  domain: { memory: { guest: '64Mi' }, devices: { disks } },
  volumes: [
    ...disks
      .filter(({ name, cdrom }) => !cdrom && !claims[name])
      .map(({ name }) => ({ name, emptyDisk: { capacity: '1Mi' } })),
    ...Object.entries(claims).map(([name, claimName]) => ({
      name,
      persistentVolumeClaim: { claimName, hotpluggable: true },
    })),
  ],
});

const vm = (name: string, parts: Parts = {}) =>
  installation.server.client
    .of(VirtualMachine)
    .create({ metadata: { name, ...at }, spec: { runStrategy: 'Halted', template: { spec: specOf(parts) } } });

async function running(name: string, parts: Parts = {}, ownerReferences?: object[]) {
  const vmis = component.of(VirtualMachineInstance);
  const metadata = { name, ...at, ...(ownerReferences && { ownerReferences: ownerReferences as never }) };
  await vmis.create({ metadata, spec: specOf(parts) });
  return vmis.patch(name, { status: { phase: 'Running', nodeName: 'n1' } }, { ...at, type: 'merge' });
}

/** The response to a request, in one line. */
async function ask(path: string, body: object): Promise<string> {
  const { status, body: response } = await (await installation.server.overHttp()).call({
    method: 'PUT',
    path: `/apis/subresources.kubevirt.io/v1/namespaces/default/${path}`,
    body,
  });
  return [status, (response as { message?: string } | undefined)?.message].filter(Boolean).join(' ');
}

const templateOf = async (name: string) =>
  (await installation.server.client.of(VirtualMachine).get(name, at)).spec.template.spec;
const discOf = async (name: string): Promise<string | undefined> =>
  (await templateOf(name))?.volumes?.find((each) => each.name === 'cd')?.persistentVolumeClaim?.claimName;

const claim = (claimName: string) => ({ persistentVolumeClaim: { claimName } });
const insert = (claimName: string, more: object = {}) => ({ name: 'cd', volumeSource: claim(claimName), ...more });
const EJECT = { name: 'cd', diskRetentionPolicy: 'keep' };

describe('a disc of a VM that is off', () => {
  it('goes into the spec and out again; the drive stays', async () => {
    await vm('off');
    expect(await ask('virtualmachines/off/addvolume', insert('one', { dryRun: ['All'] }))).toBe('202');
    expect(await discOf('off')).toBeUndefined();
    expect(await ask('virtualmachines/off/addvolume', insert('one'))).toBe('202');
    expect(await discOf('off')).toBe('one');
    expect(await ask('virtualmachines/off/addvolume', insert('two'))).toMatch(
      /^409 .*\[cd\] because volume with that name already exists: disc \[one\] is in the drive; eject it first, or set replace/,
    );
    expect(await ask('virtualmachines/off/addvolume', insert('two', { replace: true }))).toBe('202');
    expect(await discOf('off')).toBe('two');
    expect(await ask('virtualmachines/off/removevolume', { ...EJECT, dryRun: ['All'] })).toBe('202');
    expect(await discOf('off')).toBe('two');
    expect(await ask('virtualmachines/off/removevolume', EJECT)).toBe('202');
    expect(await discOf('off')).toBeUndefined();
    expect((await templateOf('off'))?.domain.devices.disks?.map(({ name }) => name)).toEqual(['cd', 'root']);
    expect(node.asked).toEqual([]);
  });

  it('may be named in the request that a VirtualMachineVolumeRequest is, too', async () => {
    await vm('wrapped');
    const path = 'virtualmachines/wrapped';
    expect(await ask(`${path}/addvolume`, { addVolumeOptions: insert('one') })).toBe('202');
    expect(await discOf('wrapped')).toBe('one');
    expect(await ask(`${path}/removevolume`, { removeVolumeOptions: { ...EJECT, dryRun: ['All'] } })).toBe('202');
    expect(await discOf('wrapped')).toBe('one');
    expect(await ask(`${path}/removevolume`, { removeVolumeOptions: EJECT })).toBe('202');
    expect(await discOf('wrapped')).toBeUndefined();
    expect(await ask(`${path}/addvolume`, { addVolumeOptions: insert('one'), name: 'cd' })).toMatch(
      /^400 .*name: no other field is allowed next to addVolumeOptions/,
    );
    expect(await ask(`${path}/addvolume`, { removeVolumeOptions: EJECT })).toMatch(/^400 .*name is missing/);
  });

  it('takes its drive with it where nobody says that it stays, as KubeVirt’s clients expect', async () => {
    await vm('old', { claims: { cd: 'one' } });
    expect(await ask('virtualmachines/old/removevolume', { name: 'cd' })).toBe('202');
    expect((await templateOf('old'))?.domain.devices.disks?.map(({ name }) => name)).toEqual(['root']);
  });
});

describe('a request that cannot be met', () => {
  const wrongClaim = (name: string, why: RegExp) => [`claim ${name}`, insert(name), why] as const;
  it.each<readonly [string, object, RegExp]>([
    wrongClaim(
      'nowhere',
      /^422 .*claimName: Not found: "nowhere": there is no PersistentVolumeClaim nowhere in namespace default/,
    ),
    wrongClaim('disk', /^409 .*\[disk\]: VirtualMachineInstance writer uses it as a disk/),
    wrongClaim('kube-system/one', /^422 .*the disc must be in the VM.s namespace, default; use a name without a slash/),
    wrongClaim('../../etc/passwd', /^422 .*use a name without a slash/),
    wrongClaim('..', /^422 .*claimName: Invalid value: "\.\.": a lowercase RFC 1123 subdomain/),
    ['two sources', { name: 'cd', volumeSource: { ...claim('one'), dataVolume: { name: 'x' } } }, /^422 .*name either/],
    ['no source', { name: 'cd', volumeSource: {} }, /^422 .*volumeSource: Required value: name either/],
    [
      'a DataVolume that is not there',
      { name: 'cd', volumeSource: { dataVolume: { name: 'x' } } },
      /^422 .*no DataVolume x/,
    ],
    ['a disk as well', insert('one', { disk: { cdrom: {} } }), /^400 .*CD-ROM drive \[cd\] already exists; omit disk/],
    [
      'a disk that is no drive',
      { ...insert('one'), name: 'root' },
      /^400 .*disk to not be nil: disk \[root\] is not a CD-ROM drive/,
    ],
    ['no such drive', { ...insert('one'), name: '../cd' }, /^400 .*there is no CD-ROM drive \[\.\.\/cd\]/],
    ['no name', { volumeSource: claim('one') }, /^400 .*name/],
    ['another dry run', insert('one', { dryRun: ['Some'] }), /^422 .*dryRun/],
  ])('inserting %s', async (what, body, why) => {
    const name = `in-${[...what].map((letter) => letter.charCodeAt(0).toString(36)).join('')}`.slice(0, 60);
    await vm(name);
    expect(await ask(`virtualmachines/${name}/addvolume`, body)).toMatch(why);
    expect(await discOf(name)).toBeUndefined();
  });

  it('ejects what is not there, or as nobody can', async () => {
    await vm('out', {
      disks: [...(DRIVES ?? []), { name: 'data', disk: { bus: 'scsi' } }],
      claims: { data: 'two' },
    });
    const eject = (body: object) => ask('virtualmachines/out/removevolume', body);
    expect(await eject(EJECT)).toMatch(/^409 .*\[cd\] because it does not exist: the CD-ROM drive is empty/);
    expect(await eject({ name: 'cd', diskRetentionPolicy: 'burn' })).toMatch(
      /^422 .*diskRetentionPolicy: Unsupported value: "burn": supported values: "keep", "delete"/,
    );
    expect(await eject({ name: 'data', diskRetentionPolicy: 'keep' })).toMatch(
      /^422 .*diskRetentionPolicy: Invalid value: "keep": disk \[data\] is not a CD-ROM drive/,
    );
    expect(await eject({ name: 'root' })).toMatch(/^409 .*because it is not hotpluggable/);
    expect(await ask('virtualmachines/nobody/removevolume', EJECT)).toMatch(/^404 .*"nobody" not found/);
    expect(await eject({ name: 'data' })).toBe('202');
  });
});

describe('a disc of a guest that runs', () => {
  const LOCKED = { kind: 'Status', reason: 'Conflict', code: 409, message: 'the guest has locked the tray' };
  const asked = (name: string, options: object) =>
    `PUT /v1/namespaces/default/virtualmachineinstances/${name}/cdroms/release ${JSON.stringify(options)}`;

  it('goes only when the node says that the tray opens; force does not wait for that', async () => {
    const { metadata } = await vm('busy', { claims: { cd: 'one' } });
    const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'busy', uid: metadata.uid };
    await running('busy', { claims: { cd: 'one' } }, [{ ...owner, controller: true }]);
    node.asked.length = 0;
    node.refuseNext(409, LOCKED);
    expect(await ask('virtualmachines/busy/removevolume', EJECT)).toMatch(
      /^409 .*the guest has locked the tray of CD-ROM drive \[cd\]: unmount the disc in the guest, or set force/,
    );
    node.refuseNext(409, LOCKED);
    expect(await ask('virtualmachines/busy/addvolume', insert('two', { replace: true }))).toMatch(/^409 .*locked/);
    expect(await discOf('busy')).toBe('one');
    expect(await ask('virtualmachines/busy/removevolume', { ...EJECT, dryRun: ['All'] })).toBe('202');
    expect(await ask('virtualmachines/busy/removevolume', { ...EJECT, force: true })).toBe('202');
    expect(await discOf('busy')).toBeUndefined();
    expect(node.asked).toEqual([
      asked('busy', { name: 'cd', force: false, dryRun: false }),
      asked('busy', { name: 'cd', force: false, dryRun: false }),
      asked('busy', { name: 'cd', force: false, dryRun: true }),
      asked('busy', { name: 'cd', force: true, dryRun: false }),
    ]);
    expect(await ask('virtualmachineinstances/busy/addvolume', insert('one'))).toMatch(/^400 .*is owned by a VM/);
  });

  it('that waits to go can still be forced', async () => {
    await running('waits');
    const status = {
      volumeStatus: [{ name: 'cd', target: 'sda', phase: 'Detaching', hotplugVolume: {} }],
      cdromStatus: [{ name: 'cd', target: 'sda', tray: 'closed' }],
    };
    await component.of(VirtualMachineInstance).patch('waits', { status }, { ...at, type: 'merge' });
    expect(await ask('virtualmachineinstances/waits/removevolume', EJECT)).toMatch(/^409 .*does not exist/);
    expect(await ask('virtualmachineinstances/waits/removevolume', { ...EJECT, force: true })).toBe('202');
    expect(node.asked.at(-1)).toBe(asked('waits', { name: 'cd', force: true, dryRun: false }));
  });

  it('neither comes nor goes while the guest moves to another node', async () => {
    await running('mover');
    const move = async (migrationState: object): Promise<unknown> =>
      component.of(VirtualMachineInstance).patch('mover', { status: { migrationState } }, { ...at, type: 'merge' });
    const refused = /^409 .*Cannot handle volume requests while VMI migration is in progress/;
    await move({ migrationUid: 'm' });
    expect(await ask('virtualmachineinstances/mover/addvolume', insert('one'))).toMatch(refused);
    expect(await ask('virtualmachineinstances/mover/removevolume', EJECT)).toMatch(refused);
    await move({ migrationUid: 'm', completed: true });
    expect(await ask('virtualmachineinstances/mover/addvolume', insert('one'))).toBe('202');
  });

  it('goes into a VMI without a VM', async () => {
    await running('bare');
    expect(await ask('virtualmachineinstances/bare/addvolume', insert('one'))).toBe('202');
    const vmi = await installation.server.client.of(VirtualMachineInstance).get('bare', at);
    expect(vmi.spec.volumes?.find(({ name }) => name === 'cd')).toEqual({
      name: 'cd',
      persistentVolumeClaim: { claimName: 'one', hotpluggable: true },
    });
    expect(vmi.spec.domain.devices.disks).toHaveLength(2);
  });
});

it('of ten insertions at once one succeeds, and the others are refused with the reason', async () => {
  await vm('race');
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => ask('virtualmachines/race/addvolume', insert(index % 2 ? 'one' : 'two'))),
  );
  expect(answers.filter((each) => each === '202')).toHaveLength(1);
  expect(answers.filter((each) => /already exists/.test(each))).toHaveLength(9);
  expect((await templateOf('race'))?.volumes?.filter(({ name }) => name === 'cd')).toHaveLength(1);
});

describe('the gate HotplugVolumes', () => {
  const setGates = async (developerConfiguration: object) => {
    const kubevirts = installation.server.client.of(KubeVirt);
    const name = { name: 'kubevirt', namespace: 'kubevirt' };
    const spec = { configuration: { developerConfiguration } };
    await kubevirts
      .create({ metadata: name, spec })
      .catch(() => kubevirts.patch('kubevirt', { spec }, { namespace: 'kubevirt', type: 'merge' }));
  };
  afterAll(() => setGates({ featureGates: [], disabledFeatureGates: [] }));

  it('lets VMs be asked by requests in their status', async () => {
    await setGates({ featureGates: ['HotplugVolumes'] });
    await vm('gated');
    const requests = async () =>
      (await installation.server.client.of(VirtualMachine).get('gated', at)).status?.volumeRequests;
    expect(await ask('virtualmachines/gated/addvolume', insert('one'))).toBe('202');
    expect(await requests()).toEqual([{ addVolumeOptions: insert('one') }]);
    expect(await discOf('gated')).toBeUndefined();
    expect(await ask('virtualmachines/gated/addvolume', insert('two'))).toMatch(
      /^409 .*add volume request for volume \[cd\] already exists/,
    );
    // Taken out before it was plugged in, it is called off.
    expect(await ask('virtualmachines/gated/removevolume', EJECT)).toBe('202');
    expect(await requests()).toEqual([{ removeVolumeOptions: EJECT }]);
    expect(await ask('virtualmachines/gated/addvolume', insert('two'))).toMatch(
      /^409 .*unable to add volume since a remove volume request for volume \[cd\] already exists and is still being processed/,
    );
    expect(await ask('virtualmachines/gated/removevolume', EJECT)).toMatch(/^409 .*\[cd\] because it does not exist/);
  });

  it('or DeclarativeHotplugVolumes has to be open', async () => {
    await setGates({ featureGates: [], disabledFeatureGates: ['DeclarativeHotplugVolumes'] });
    expect(await ask('virtualmachines/off/addvolume', insert('one'))).toBe(
      '400 Enable DeclarativeHotplugVolumes or HotplugVolumes feature gate to use this API.',
    );
  });
});
