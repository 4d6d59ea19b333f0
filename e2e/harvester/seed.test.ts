import { KubeConfig } from '@kubernetes/client-node';
import { beforeAll, describe, expect, it } from 'vitest';
import { useMachines } from '../machines/fixture.ts';
import { machine } from '../machines/manifests.ts';
import { type CurlAnswer, type CurlOptions, curlFor } from './curl.ts';
import { subresourceClient } from './subresourceClient.ts';

const machines = useMachines();
const { kubectl, untilStatus } = machines;

const curl = (path: string, options?: CurlOptions): Promise<CurlAnswer> =>
  curlFor(machines.home(), machines.server().port)(path, options);
const GROUP = '/apis/subresources.harvesterhci.io/v1beta1';
const NODE = JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'jacknode' } });

const claim = (name: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '16Mi' } } },
  });

/** A machine whose disks are claims, and which runs: claims get their volumes with their first user. */
beforeAll(async () => {
  await machines.create(
    NODE,
    claim('test'),
    claim('test-disk-0-rlnlk'),
    machine('test', {
      graceSeconds: 0,
      volumes: [
        { name: 'test', persistentVolumeClaim: { claimName: 'test' } },
        { name: 'disk-0', persistentVolumeClaim: { claimName: 'test-disk-0-rlnlk' } },
      ],
    }),
    machine('test2', { graceSeconds: 0 }),
  );
  await untilStatus(['test', 'test2'], 'Running');
}, 120_000);

describe('the old requests', () => {
  it('POST /v1/harvester/kubevirt.io.virtualmachines/default/test?action=stop', async () => {
    const path = '/v1/harvester/kubevirt.io.virtualmachines/default/test?action=stop';
    expect(await curl(path, { method: 'POST' })).toMatchObject({ status: 204, body: '' });
    await untilStatus('test', 'Stopped');
  });

  it('POST /v1/harvester/nodes/jacknode?action=cordon', async () => {
    expect(await curl('/v1/harvester/nodes/jacknode?action=cordon', { method: 'POST' })).toMatchObject({ status: 204 });
    expect(await kubectl('get node jacknode -o jsonpath={.spec.unschedulable}')).toBe('true');
  });

  it('POST /v1/harvester/persistentvolumeclaims/default/test-disk-0-rlnlk?action=snapshot', async () => {
    const path = '/v1/harvester/persistentvolumeclaims/default/test-disk-0-rlnlk?action=snapshot';
    expect(await curl(path, { method: 'POST', data: '{"name":"before"}' })).toMatchObject({ status: 204, body: '' });
    expect(await kubectl('get volumesnapshot before -o jsonpath={.spec.source.persistentVolumeClaimName}')).toBe(
      'test-disk-0-rlnlk',
    );
  });
});

describe('the new requests', () => {
  it('POST …/namespaces/default/virtualmachines/test/stop, which starts from where the old one left', async () => {
    const path = `${GROUP}/namespaces/default/virtualmachines/test`;
    expect(await kubectl(`create --raw ${path}/start -f -`, { input: '{}' })).toBe('');
    await untilStatus('test', 'Running');
    expect(await kubectl(`create --raw ${path}/stop -f -`, { input: '{}' })).toBe('');
    await untilStatus('test', 'Stopped');
  });

  it('POST …/nodes/jacknode/uncordon', async () => {
    expect(await kubectl(`create --raw ${GROUP}/nodes/jacknode/uncordon -f -`, { input: '{}' })).toBe('');
    expect(await kubectl('get node jacknode -o jsonpath={.spec.unschedulable}')).toBe('');
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

  it('uncordons a node and stops a machine', async () => {
    const config = new KubeConfig();
    config.loadFromFile(machines.server().kubeconfig);
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
    ['the new path', `${GROUP}/namespaces/default/virtualmachines/test2/start`],
    ['the old path', '/v1/harvester/kubevirt.io.virtualmachines/default/test2?action=start'],
  ])('refuses what it does not name, by %s', async (_, path) => {
    const { status, contentType, body } = await curl(path, { method: 'POST', token });
    expect({ status, contentType, body: JSON.parse(body) }).toEqual({
      status: 403,
      contentType: 'application/json',
      body: REFUSAL,
    });
  });

  it('allows what it names, by either path', async () => {
    const path = `${GROUP}/namespaces/default/virtualmachines/test2/stop`;
    expect(await curl(path, { method: 'POST', token })).toMatchObject({ status: 204 });
    await untilStatus('test2', 'Stopped');
    const old = '/v1/harvester/kubevirt.io.virtualmachines/default/test2?action=stop';
    expect(await curl(old, { method: 'POST', token })).toMatchObject({ status: 204 });
  });

  it('is asked by kubectl auth can-i', async () => {
    const who = '--as=system:serviceaccount:default:test-subresource';
    const may = (action: string) =>
      kubectl(`auth can-i create virtualmachines.subresources.harvesterhci.io/test2 --subresource=${action} ${who}`);
    expect(await may('stop')).toBe('yes');
    expect(await may('start')).toContain('no');
  });
});
