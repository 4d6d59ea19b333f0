import { afterAll, describe, expect, it } from 'vitest';
import { useVms } from './fixture.ts';
import { vm } from './manifests.ts';

const { kubectl, vireo, untilStatus, create, clear } = useVms();
afterAll(async () => {
  await clear();
  await kubectl.do('delete pvc,configmap,secret --selector=of=graphed');
}, 120_000);

const labels = { of: 'graphed' };
const objects = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', labels }, data: { mode: 'quiet' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', labels }, stringData: { token: 'abc' } },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', labels },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
  },
].map((object) => JSON.stringify(object));

const graphed = vm('graphed', {
  guest: 'boot-sector',
  volumes: [
    { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'settings', configMap: { name: 'settings' } },
    { name: 'keys', secret: { secretName: 'keys' } },
  ],
});

interface FlatList {
  readonly items: readonly { objectReference: { kind: string; name: string }; labels: Record<string, string> }[];
}

const path = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/graphed/objectgraph';

/** `kind name` of every object, with the part of names that is made up taken out. */
async function flat(query = ''): Promise<string[]> {
  const { items } = await kubectl.json<FlatList>(`get --raw ${path}?format=flat${query}`);
  return items.map(({ objectReference: { kind, name }, labels: { status } }) =>
    [kind, name.replace(/^(virt-launcher-graphed-|pvc-|vmsnapshot-|snapcontent-).*/, '$1…'), status]
      .filter(Boolean)
      .join(' '),
  );
}

describe('the object graph of a VM', () => {
  it('has its instance, its pod, and what it is made of', async () => {
    await create(...objects, graphed);
    await untilStatus('graphed', 'Running');
    expect(await flat()).toEqual([
      'virtualmachineinstances graphed',
      'pods virt-launcher-graphed-…',
      'persistentvolumeclaims data',
      'persistentvolumes pvc-…',
      'storageclasses local',
      'configmaps settings',
      'secrets keys',
    ]);
  }, 90_000);

  it('has its snapshots, which it can do without, down to what nodes keep', async () => {
    const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'graphed' };
    const apiVersion = 'snapshot.kubevirt.io/v1beta1';
    const metadata = { name: 'nightly' };
    await create(JSON.stringify({ apiVersion, kind: 'VirtualMachineSnapshot', metadata, spec: { source } }));
    await kubectl.do('wait vmsnapshot/nightly --for=jsonpath={.status.readyToUse}=true --timeout=60s');
    expect((await flat()).slice(-4)).toEqual([
      'virtualmachinesnapshots nightly',
      'virtualmachinesnapshotcontents vmsnapshot-…',
      'volumesnapshots vmsnapshot-…',
      'volumesnapshotcontents snapcontent-…',
    ]);
    expect(await flat('&includeOptionalNodes=false')).not.toContain('virtualmachinesnapshots nightly');
    await kubectl.do('delete vmsnapshot nightly --timeout=60s');
  }, 90_000);

  it('tells what has gone', async () => {
    await kubectl.do('delete configmap settings');
    expect(await flat('&kinds=configmaps,secrets')).toEqual(['configmaps settings missing', 'secrets keys']);
    expect(await vireo('objectgraph graphed -o tree --selector kubevirt.io/dependency-type=config')).toBe(
      ['VirtualMachine graphed', '├── ConfigMap settings (missing)', '└── Secret keys'].join('\n'),
    );
    await create(objects[0] ?? '');
  }, 30_000);

  it('gives manifests that make the VM again', async () => {
    const manifests = await vireo('objectgraph graphed -o manifests --include-secrets');
    await clear();
    await kubectl.do('delete pvc,configmap,secret --selector=of=graphed');
    await create(manifests);
    await untilStatus('graphed', 'Running');
    expect(await kubectl('get secret keys -o jsonpath={.data.token}')).toBe(Buffer.from('abc').toString('base64'));
    expect(await flat('&includeOptionalNodes=false')).toContain('persistentvolumeclaims data');
  }, 120_000);
});
