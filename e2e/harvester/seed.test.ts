import { KubeConfig } from '@kubernetes/client-node';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PlainAnswer, type PlainOptions, plainHttpFor } from './plainHttp.ts';
import { useStubCluster } from './stubCluster.ts';
import { subresourceClient } from './subresourceClient.ts';

const cluster = useStubCluster();
const { kubectl } = cluster;

const ask = (path: string, options?: PlainOptions): Promise<PlainAnswer> =>
  plainHttpFor(cluster.home(), cluster.port())(path, options);
const untilStatus = (name: string, status: string): Promise<void> =>
  kubectl.do(`wait vm/${name} --for=jsonpath={.status.printableStatus}=${status} --timeout=60s`);
const GROUP = '/apis/subresources.harvesterhci.io/v1beta1';

const object = (apiVersion: string, kind: string, name: string, rest: object = {}): string =>
  JSON.stringify({ apiVersion, kind, metadata: { name }, ...rest });

const vm = (name: string): string =>
  object('kubevirt.io/v1', 'VirtualMachine', name, {
    spec: {
      runStrategy: 'Always',
      template: { spec: { domain: { devices: {}, memory: { guest: '32Mi' } }, terminationGracePeriodSeconds: 0 } },
    },
  });

/** A claim with a volume that was made for it. */
const claim = (name: string): string[] => {
  const spec = { storageClassName: 'made', accessModes: ['ReadWriteOnce'] };
  return [
    object('v1', 'PersistentVolume', name, {
      spec: {
        ...spec,
        capacity: { storage: '16Mi' },
        hostPath: { path: '/nowhere' },
        claimRef: { name, namespace: 'default' },
      },
    }),
    object('v1', 'PersistentVolumeClaim', name, {
      spec: { ...spec, volumeName: name, resources: { requests: { storage: '16Mi' } } },
    }),
  ];
};

const provisioner = 'example.org/made';
const CLASSES = [
  object('storage.k8s.io/v1', 'StorageClass', 'made', { provisioner }),
  object('snapshot.storage.k8s.io/v1', 'VolumeSnapshotClass', 'made', {
    driver: provisioner,
    deletionPolicy: 'Delete',
  }),
];

beforeAll(async () => {
  const manifests = [
    object('v1', 'Node', 'jacknode'),
    ...CLASSES,
    ...claim('test'),
    ...claim('test-disk-0-rlnlk'),
    object('harvesterhci.io/v1beta1', 'UpgradeLog', 'test', { spec: { upgradeName: 'test' } }),
    vm('test'),
    vm('test2'),
  ];
  await kubectl.do('apply -f -', { input: manifests.join('\n') });
  for (const name of ['test', 'test2']) await untilStatus(name, 'Running');
  for (const name of ['test', 'test-disk-0-rlnlk'])
    await kubectl.do(`wait pvc/${name} --for=jsonpath={.status.phase}=Bound --timeout=60s`);
  await kubectl.do('wait upgradelog/test --for=condition=Started --timeout=60s');
}, 180_000);

describe('a request to the Steve API', () => {
  it('POST /v1/harvester/kubevirt.io.virtualmachines/default/test?action=stop', async () => {
    const path = '/v1/harvester/kubevirt.io.virtualmachines/default/test?action=stop';
    expect(await ask(path, { method: 'POST' })).toMatchObject({ status: 204, body: '' });
    await untilStatus('test', 'Stopped');
  });

  it('POST /v1/harvester/nodes/jacknode?action=cordon', async () => {
    expect(await ask('/v1/harvester/nodes/jacknode?action=cordon', { method: 'POST' })).toMatchObject({ status: 204 });
    expect(await kubectl('get node jacknode -o jsonpath={.spec.unschedulable}')).toBe('true');
  });

  it('GET  /v1/harvester/upgradeslogs/default/test/download', async () => {
    const generate = `${GROUP}/namespaces/default/upgradelogs/test/generate`;
    expect(await kubectl(`create --raw ${generate} -f -`, { input: '{}' })).toMatch(/^"test-archive-/);
    const answer = await ask('/v1/harvester/upgradeslogs/default/test/download');
    expect(answer).toMatchObject({ status: 200, contentType: 'application/zip', body: expect.stringMatching(/^PK/) });
  });

  it('POST /v1/harvester/persistentvolumeclaims/default/test-disk-0-rlnlk?action=snapshot', async () => {
    const path = '/v1/harvester/persistentvolumeclaims/default/test-disk-0-rlnlk?action=snapshot';
    expect(await ask(path, { method: 'POST', data: '{"name":"before"}' })).toMatchObject({ status: 204, body: '' });
    expect(await kubectl('get volumesnapshot before -o jsonpath={.spec.source.persistentVolumeClaimName}')).toBe(
      'test-disk-0-rlnlk',
    );
  });
});

describe('a request to a subresource', () => {
  it('POST …/namespaces/default/virtualmachines/test/stop, which starts from where the Steve API left it', async () => {
    const path = `${GROUP}/namespaces/default/virtualmachines/test`;
    expect(await kubectl(`create --raw ${path}/start -f -`, { input: '{}' })).toBe('');
    await untilStatus('test', 'Running');
    expect(await kubectl(`create --raw ${path}/stop -f -`, { input: '{}' })).toBe('');
    await untilStatus('test', 'Stopped');
  });

  it('POST …/nodes/jacknode/uncordon', async () => {
    expect(await kubectl(`create --raw ${GROUP}/nodes/jacknode/uncordon -f /dev/null`)).toBe('');
    expect(await kubectl('get node jacknode -o jsonpath={.spec.unschedulable}')).toBe('');
  });

  it('GET  …/namespaces/default/upgradelogs/test/download', async () => {
    const { stdout } = await kubectl.run(`get --raw ${GROUP}/namespaces/default/upgradelogs/test/download`);
    expect(stdout).toMatch(/^PK/);
  });

  it('POST …/namespaces/default/persistentvolumeclaims/test/snapshot', async () => {
    const path = `${GROUP}/namespaces/default/persistentvolumeclaims/test/snapshot`;
    expect(await kubectl(`create --raw ${path} -f -`, { input: '{"name":"after"}' })).toBe('');
    expect(await kubectl('get volumesnapshot after -o jsonpath={.spec.source.persistentVolumeClaimName}')).toBe('test');
  });

  it('are found by discovery', async () => {
    const list = await kubectl.json<{ resources: { name: string; namespaced: boolean; verbs: string[] }[] }>(
      `get --raw ${GROUP}`,
    );
    const named = (name: string) => list.resources.find((each) => each.name === name);
    expect(named('virtualmachines/stop')).toMatchObject({ namespaced: true, verbs: ['create', 'update'] });
    expect(named('nodes/uncordon')).toMatchObject({ namespaced: false });
    expect(await kubectl('get apiservice v1beta1.subresources.harvesterhci.io')).toContain('True');
  });
});

describe('the client of the example', () => {
  const clientFor = (config: KubeConfig) => subresourceClient(config, 'subresources.harvesterhci.io/v1beta1');

  it('uncordons a node and stops a VM', async () => {
    const config = new KubeConfig();
    config.loadFromFile(cluster.kubeconfig());
    const client = clientFor(config);
    await kubectl.do('cordon jacknode');
    const node = { resource: 'nodes', name: 'jacknode', subresource: 'uncordon' };
    expect(await client.post(node)).toMatchObject({ status: 204 });
    expect(await client.post(node)).toMatchObject({ status: 409 });
    const vm = { namespace: 'default', resource: 'virtualmachines', name: 'test', subresource: 'stop' };
    expect(await client.post(vm)).toMatchObject({ status: 204, body: '' });
  });
});

describe('the role of the example', () => {
  const ROLE = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: subresource-test
  namespace: default
rules:
- apiGroups:
  - subresources.harvesterhci.io
  resources:
  - virtualmachines/stop
  verbs:
  - get
  - create
`;
  /** Word for word what the proposal shows. */
  const REFUSAL = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message:
      'virtualmachines.subresources.harvesterhci.io "test2" is forbidden: User "system:serviceaccount:default:test-subresource" cannot create resource "virtualmachines/start" in API group "subresources.harvesterhci.io" in the namespace "default"',
    reason: 'Forbidden',
    details: { name: 'test2', group: 'subresources.harvesterhci.io', kind: 'virtualmachines' },
    code: 403,
  };
  let token = '';
  beforeAll(async () => {
    await kubectl.do('apply -f -', { input: ROLE });
    await kubectl.do('create serviceaccount test-subresource');
    await kubectl.do(
      'create rolebinding subresource-test --role=subresource-test --serviceaccount=default:test-subresource',
    );
    token = (await kubectl.run('create token test-subresource')).stdout.trim();
  });

  it.each([
    ['the subresource', `${GROUP}/namespaces/default/virtualmachines/test2/start`],
    ['the Steve API', '/v1/harvester/kubevirt.io.virtualmachines/default/test2?action=start'],
  ])('refuses what it does not name, by %s', async (_, path) => {
    const { status, contentType, body } = await ask(path, { method: 'POST', token });
    expect({ status, contentType, body: JSON.parse(body) }).toEqual({
      status: 403,
      contentType: 'application/json',
      body: REFUSAL,
    });
  });

  it('allows what it names, by either path', async () => {
    const path = `${GROUP}/namespaces/default/virtualmachines/test2/stop`;
    expect(await ask(path, { method: 'POST', token })).toMatchObject({ status: 204 });
    await untilStatus('test2', 'Stopped');
    const steve = '/v1/harvester/kubevirt.io.virtualmachines/default/test2?action=stop';
    expect(await ask(steve, { method: 'POST', token })).toMatchObject({ status: 204 });
  });

  it('is asked by kubectl auth can-i', async () => {
    const who = '--as=system:serviceaccount:default:test-subresource';
    const may = (action: string) =>
      kubectl(`auth can-i create virtualmachines.subresources.harvesterhci.io/test2 --subresource=${action} ${who}`);
    expect(await may('stop')).toBe('yes');
    expect(await may('start')).toContain('no');
  });
});

describe('the front proxy of another API server', () => {
  const stop = '/apis/subresources.harvesterhci.io/v1beta1/namespaces/default/virtualmachines/test2/stop';
  const send = (certificate: string, user: string) =>
    plainHttpFor(cluster.home(), cluster.extensionPort())(stop, {
      method: 'POST',
      certificate,
      headers: [`X-Remote-User: ${user}`],
    });

  it('is believed who asks, and nobody else is', async () => {
    expect(await send('front-proxy-client', 'system:serviceaccount:default:test-subresource')).toMatchObject({
      status: 204,
    });
    expect(await send('front-proxy-client', 'jane')).toMatchObject({ status: 403 });
    expect(await send('admin', 'system:serviceaccount:default:test-subresource')).toMatchObject({ status: 401 });
  });
});
