import { PersistentVolume, PersistentVolumeClaim, Secret } from '@vireo/api';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Draft, systemClock } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';

const at = { namespace: NAMESPACE };
const URL = 'https://127.0.0.1:6443';
let cluster: Cluster;
/** How far the controllers' clock is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  cluster = await startCluster();
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  await cluster.startControllers({ uploadUrl: '127.0.0.1:6443', clock });
});
afterAll(() => cluster?.close());

const exportsOf = () => cluster.admin.of(VirtualMachineExport);

const offer = (name: string, source: VirtualMachineExport['spec']['source'], more: object = {}) =>
  exportsOf().create({ metadata: { name, ...at }, spec: { source, ...more } });

/** The export once it is as it should be. */
const until = (name: string, is: (found: VirtualMachineExport) => boolean): Promise<VirtualMachineExport> =>
  vi.waitFor(
    async () => {
      const found = await exportsOf().get(name, at);
      if (!is(found)) throw new Error(JSON.stringify(found.status));
      return found;
    },
    { timeout: 20_000, interval: 20 },
  );

const isPhase =
  (phase: string, reason?: string) =>
  ({ status }: VirtualMachineExport): boolean =>
    status?.phase === phase && (!reason || status.conditions?.find(({ type }) => type === 'Ready')?.reason === reason);

const conditionsOf = ({ status }: VirtualMachineExport) =>
  (status?.conditions ?? []).map(({ type, status: is, reason }) => `${type} ${is} ${reason}`);

/** A claim with a volume, as the node would have made it. */
async function claim(name: string, annotations: Record<string, string> = {}): Promise<void> {
  await cluster.admin.of(PersistentVolume).create({
    metadata: { name: `volume-${name}` },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } },
  });
  await cluster.admin.of(PersistentVolumeClaim).create({
    metadata: { name, ...at, annotations },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      volumeName: `volume-${name}`,
      resources: { requests: { storage: '1Gi' } },
    },
  });
}

const ofClaim = (name: string) => ({ apiGroup: '', kind: 'PersistentVolumeClaim', name });
const ofVm = (name: string) => ({ apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name });

const withVolumes = (name: string, volumes: NonNullable<Vmi['spec']['volumes']>): Draft<Vm> => {
  const vm = vmDraft(name, { runStrategy: 'Halted' });
  const { template } = vm.spec;
  const spec = template.spec as Vmi['spec'];
  return { ...vm, spec: { ...vm.spec, template: { ...template, spec: { ...spec, volumes } } } };
};

describe('an export of a claim', () => {
  it('waits for the claim, and then says where everything is', async () => {
    await offer('early', ofClaim('disk'));
    const waiting = await until('early', isPhase('Pending', 'PVCNotFound'));
    expect(waiting.status?.links).toBeUndefined();
    expect(conditionsOf(waiting)).toEqual(['Ready False PVCNotFound', 'PVCReady False PVCNotFound']);
    await claim('disk');
    const { status, metadata } = await until('early', isPhase('Ready'));
    expect(conditionsOf({ status } as VirtualMachineExport)).toEqual(['Ready True PodReady', 'PVCReady True PVCBound']);
    const base = `${URL}/api/export.kubevirt.io/v1/namespaces/shop/virtualmachineexports/early`;
    const links = {
      cert: expect.stringContaining('BEGIN CERTIFICATE'),
      volumes: [
        {
          name: 'disk',
          formats: [
            { format: 'raw', url: `${base}/volumes/disk/disk.img` },
            { format: 'gzip', url: `${base}/volumes/disk/disk.img.gz` },
          ],
        },
      ],
    };
    expect(status?.links).toEqual({ external: links, internal: links });
    const created = Date.parse(metadata.creationTimestamp ?? '');
    expect(Date.parse(status?.ttlExpirationTime ?? '') - created).toBe(2 * 3_600_000);
    const secret = await cluster.admin.of(Secret).get(status?.tokenSecretRef ?? '', at);
    expect(secret.metadata).toMatchObject({ name: 'export-token-early', ownerReferences: [{ uid: metadata.uid }] });
    expect(Buffer.from(secret.data?.token ?? '', 'base64').toString()).toMatch(/^[\w-]{20}$/);
  });

  it('is paused while a guest may write, and goes on afterwards', async () => {
    await claim('busy');
    await offer('paused', ofClaim('busy'));
    await until('paused', isPhase('Ready'));
    await cluster.admin.of(Vmi).create({
      metadata: { name: 'user', ...at },
      spec: { domain: { devices: {} }, volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'busy' } }] },
    });
    const { status } = await until('paused', isPhase('Pending', 'InUse'));
    expect(status?.links).toBeUndefined();
    expect(status?.conditions?.[0]?.message).toBe(
      'PersistentVolumeClaim shop/busy is in use by VirtualMachineInstance user: stop that VM first',
    );
    await cluster.admin.of(Vmi).delete('user', at);
    await until('paused', isPhase('Ready'));
  });

  it('waits until the claim is filled', async () => {
    await claim('unfilled', { 'cdi.kubevirt.io/storage.import.source': 'http' });
    await offer('unfilled', ofClaim('unfilled'));
    await until('unfilled', isPhase('Pending', 'VolumesNotPopulated'));
  });

  it('has the password that its user names, and makes none', async () => {
    await offer('own', ofClaim('disk'), { tokenSecretRef: 'mine' });
    expect((await until('own', isPhase('Ready'))).status?.tokenSecretRef).toBe('mine');
    await expect(cluster.admin.of(Secret).get('export-token-own', at)).rejects.toThrow('not found');
  });

  it("does not use somebody else's Secret", async () => {
    await cluster.admin.of(Secret).create({ metadata: { name: 'export-token-taken', ...at } });
    await offer('taken', ofClaim('disk'));
    const { status } = await until('taken', isPhase('Pending', 'SecretNotOwned'));
    expect([status?.tokenSecretRef, status?.links]).toEqual([undefined, undefined]);
  });

  it('ends when its time is up', async () => {
    await offer('short', ofClaim('disk'), { ttlDuration: '3h' });
    await until('short', isPhase('Ready'));
    aheadMs = 3 * 3_600_000;
    // Whatever happens around it makes it be looked at; a timer would do so too.
    await claim('passing');
    await vi.waitFor(() => expect(exportsOf().get('short', at)).rejects.toThrow('not found'), { timeout: 20_000 });
    aheadMs = 0;
  });

  it('that is held by somebody when it ends offers nothing any more', async () => {
    const metadata = { name: 'held', ...at, finalizers: ['example.com/held'] };
    await exportsOf().create({ metadata, spec: { source: ofClaim('disk') } });
    await until('held', isPhase('Ready'));
    await exportsOf().delete('held', at);
    const { status } = await until('held', isPhase('Terminated', 'PodCompleted'));
    expect(status?.links).toBeUndefined();
    await exportsOf().patch('held', { metadata: { finalizers: null } }, { ...at, type: 'merge' });
  });
});

describe('an export of a VM', () => {
  it('offers its claims and manifests; dumps of memory as files', async () => {
    await claim('root');
    await claim('dumps');
    await cluster.admin.of(Vm).create(
      withVolumes('web', [
        { name: 'a', persistentVolumeClaim: { claimName: 'root' } },
        { name: 'b', containerDisk: { image: 'x' } },
        { name: 'dumps', memoryDump: { claimName: 'dumps' } },
      ]),
    );
    await offer('whole', ofVm('web'));
    const { status } = await until('whole', isPhase('Ready'));
    expect(status?.virtualMachineName).toBe('web');
    const volumes = status?.links?.external?.volumes ?? [];
    expect(volumes.map(({ name, formats }) => [name, formats?.map(({ format }) => format)])).toEqual([
      ['root', ['raw', 'gzip']],
      ['dumps', ['dir', 'tar.gz']],
    ]);
    const paths = (way: 'internal' | 'external') =>
      status?.links?.[way]?.manifests?.map(({ type, url }) => `${type} ${url.split('/virtualmachineexports/')[1]}`);
    expect(paths('external')).toEqual([
      'all whole/external/manifests/all',
      'auth-header-secret whole/external/manifests/secret',
    ]);
    expect(paths('internal')?.[0]).toBe('all whole/internal/manifests/all');
  });

  it('is skipped without a VM or without claims, until there is one', async () => {
    await offer('nobody', ofVm('later'));
    await until('nobody', isPhase('Skipped', 'VMNotFound'));
    await cluster.admin.of(Vm).create(withVolumes('later', []));
    await until('nobody', isPhase('Skipped', 'VMNoVolumes'));
  });
});
