import { PersistentVolumeClaim, unavailable } from '@vireo/api';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Transport } from '@vireo/kube';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { vmsOf } from '../../testing/harvester.ts';
import { type Installation, install } from '../../testing/installation.ts';

const at = { namespace: 'default' };
let installation: Installation;
let vms: ReturnType<typeof vmsOf>;

/** What befalls the extension: how many of its writes still arrive, how often another is faster with each of them, and whether claims can be made. */
const trouble = { writesLeft: Number.POSITIVE_INFINITY, rivals: 0, makesClaims: true };
const rivalsOf = new Map<string, number>();

const troubled = (transport: Transport): Transport => ({
  async call(request) {
    // Neither questions nor signs of life count.
    const isWrite = request.method !== 'GET' && !/subjectaccessreviews|leases/.test(request.path);
    if (isWrite && trouble.writesLeft-- <= 0) throw unavailable('the process was killed');
    if (isWrite && request.path.endsWith('/persistentvolumeclaims') && !trouble.makesClaims)
      throw unavailable('no claims today');
    const [, name] = /\/(?:virtualmachines|virtualmachineinstances)\/([^/]+)/.exec(request.path) ?? [];
    const rivals = rivalsOf.get(request.path) ?? 0;
    if (request.method === 'PATCH' && name !== undefined && rivals < trouble.rivals) {
      rivalsOf.set(request.path, rivals + 1);
      await rival(name);
    }
    return transport.call(request);
  },
  watch: (request) => transport.watch(request),
  close: () => transport.close(),
});

let rivalled = 0;
/** Writes to VM and VMI as their controllers do all the time. */
async function rival(name: string): Promise<void> {
  const note = { metadata: { annotations: { note: String(rivalled++) } } };
  await vms.vms.patch(name, note, { ...at, type: 'merge' });
  await vms.vmis.patch(name, note, { ...at, type: 'merge' }).catch(() => {});
}

beforeAll(async () => {
  installation = await install({ through: troubled });
  vms = vmsOf(installation);
  const images = installation.server.client.of(VirtualMachineImage);
  await images.create({ metadata: { name: 'installer', ...at }, spec: { displayName: 'x', sourceType: 'upload' } });
  const conditions = [{ type: 'Imported', status: 'True' }];
  await images.patchStatus('installer', { status: { conditions, virtualSize: 1 } }, { ...at, type: 'merge' });
});
afterAll(() => installation?.close());
beforeEach(() => {
  Object.assign(trouble, { writesLeft: Number.POSITIVE_INFINITY, rivals: 0, makesClaims: true });
  rivalsOf.clear();
});

let made = 0;
/** A VM with a drive. */
async function vm({ runs = false, status = {} }: { runs?: boolean; status?: object } = {}): Promise<string> {
  const name = `vm-${made++}`;
  const domain = { devices: { disks: [{ name: 'cd', cdrom: { bus: 'sata' } }] }, memory: { guest: '64Mi' } };
  const vm = await vms.createVm(name, runs ? 'Always' : 'Halted', { template: { spec: { domain } } });
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name, uid: vm.metadata.uid };
  const metadata: VirtualMachineInstance['metadata'] = { name, ...at, ownerReferences: [owner] };
  if (runs) await vms.createVmi(name, status, { metadata, spec: { domain } });
  return name;
}

/** The status of a response; undefined where none came. */
async function ask(
  name: string,
  action: string,
  body: object,
  group = 'subresources.harvesterhci.io/v1beta1',
): Promise<number | undefined> {
  const path = `/apis/${group}/namespaces/default/virtualmachines/${name}/${action}`;
  try {
    const { status } = await (await installation.server.overHttp()).call({ method: 'PUT', path, body });
    return status < 500 ? status : undefined;
  } catch {
    return undefined;
  }
}

const insert = (name: string) => ask(name, 'insertCdRomVolume', { deviceName: 'cd', imageName: 'default/installer' });
const eject = (name: string) => ask(name, 'ejectCdRomVolume', { deviceName: 'cd' });
const ejectDrive = (name: string) => ask(name, 'ejectCdRom', { diskNames: ['cd'] });

const discInside = async (name: string): Promise<string | undefined> =>
  (await vms.vms.get(name, at)).spec.template.spec?.volumes?.[0]?.persistentVolumeClaim?.claimName;
const drivesOf = async (name: string): Promise<string[]> =>
  ((await vms.vms.get(name, at)).spec.template.spec?.domain.devices.disks ?? []).map((disk) => disk.name);
const requestsOf = async (name: string): Promise<string[]> =>
  ((await vms.vms.get(name, at)).status?.stateChangeRequests ?? []).map(({ action }) => action);
const discs = async (name: string): Promise<string[]> =>
  (await installation.server.client.of(PersistentVolumeClaim).list(at)).items
    .filter(({ metadata }) => metadata.name?.startsWith(`${name}-cd-`) && !metadata.deletionTimestamp)
    .map(({ metadata }) => metadata.name);

describe('while others write to the VM', () => {
  it.each([1, 2, 5])('%i times, its drives are ejected and it is restarted', async (rivals) => {
    const name = await vm({ runs: true });
    trouble.rivals = rivals;
    expect(await ejectDrive(name)).toBe(204);
    expect(await drivesOf(name)).toEqual([]);
    expect(await requestsOf(name)).toEqual(['Stop', 'Start']);
  });

  it('a disc is inserted and ejected', async () => {
    const name = await vm();
    trouble.rivals = 3;
    expect(await insert(name)).toBe(204);
    expect(await discs(name)).toEqual([await discInside(name)]);
    rivalsOf.clear();
    expect(await eject(name)).toBe(204);
    expect(await discs(name)).toEqual([]);
  });

  it('an evacuation is called off', async () => {
    const name = await vm({ runs: true, status: { evacuationNodeName: 'n1' } });
    trouble.rivals = 2;
    expect(await ask(name, 'evacuate/cancel', {}, 'subresources.kubevirt.io/v1')).toBe(200);
    expect((await vms.vmis.get(name, at)).status?.evacuationNodeName).toBeUndefined();
  });

  it('a stop forgets the start that was asked for before, in one go', async () => {
    const name = await vm({ runs: true });
    await vms.patchVmStatus(name, { stateChangeRequests: [{ action: 'Start' }] });
    trouble.writesLeft = 2;
    expect(await ask(name, 'stop', {}, 'subresources.kubevirt.io/v1')).toBe(202);
    expect(await requestsOf(name)).toEqual([]);
    expect((await vms.vms.get(name, at)).spec.runStrategy).toBe('Halted');
  });
});

describe('where no claim can be made', () => {
  it('an insertion leaves the drive empty', async () => {
    const name = await vm();
    trouble.makesClaims = false;
    expect(await insert(name)).toBeUndefined();
    expect(await discInside(name)).toBeUndefined();
  });

  it('an insertion that is repeated leaves the disc in the drive', async () => {
    const name = await vm();
    expect(await insert(name)).toBe(204);
    const disc = await discInside(name);
    trouble.makesClaims = false;
    expect(await insert(name)).toBeUndefined();
    expect(await discInside(name)).toBe(disc);
  });
});

describe('killed after so many writes', () => {
  it.each([0, 1])('%i, an insertion leaves no disc that its VM does not know, and can be repeated', async (writes) => {
    const name = await vm();
    trouble.writesLeft = writes;
    expect(await insert(name)).toBeUndefined();
    trouble.writesLeft = Number.POSITIVE_INFINITY;
    const inside = await discInside(name);
    expect((await discs(name)).filter((disc) => disc !== inside)).toEqual([]);
    expect(await insert(name)).toBe(204);
    expect(await discs(name)).toEqual([await discInside(name)]);
  });

  it.each([0, 1])('%i, an ejection can be repeated and deletes the disc then', async (writes) => {
    const name = await vm();
    expect(await insert(name)).toBe(204);
    trouble.writesLeft = writes;
    expect(await eject(name)).toBeUndefined();
    trouble.writesLeft = Number.POSITIVE_INFINITY;
    expect(await eject(name)).toBe(204);
    expect(await discInside(name)).toBeUndefined();
    expect(await discs(name)).toEqual([]);
  });

  it.each([0, 1])('%i, the ejection of a drive can be repeated and restarts the VM then', async (writes) => {
    const name = await vm({ runs: true });
    trouble.writesLeft = writes;
    expect(await ejectDrive(name)).toBeUndefined();
    trouble.writesLeft = Number.POSITIVE_INFINITY;
    expect(await ejectDrive(name)).toBe(204);
    expect(await drivesOf(name)).toEqual([]);
    expect(await requestsOf(name)).toEqual(['Stop', 'Start']);
  });
});

it('a VM that cannot be restarted keeps the drives that it was to lose', async () => {
  const name = await vm({ runs: true });
  await vms.patchVmStatus(name, { stateChangeRequests: [{ action: 'Start' }] });
  expect(await ejectDrive(name)).toBe(409);
  expect(await drivesOf(name)).toEqual(['cd']);
});
