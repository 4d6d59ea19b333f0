import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unixSocket } from '../streams/nodeConnections.ts';
import { vmsOf } from '../testing/harvester.ts';
import { type Installation, install } from '../testing/installation.ts';
import { type NodeStandIn, startNodeStandIn } from '../testing/nodeStandIn.ts';
import { allow } from '../testing/roles.ts';
import { terminal } from '../testing/terminal.ts';

const VMS = '/apis/kubevirt.io/v1/namespaces/default/virtualmachines';
const SUB = '/apis/subresources.kubevirt.io/v1/namespaces/default';

/** All suites of this package run either way (see CONTRIBUTING.md); these few do so in every run of the tests. */
describe.each(['inProcess', 'remote'] as const)('an extension that is reached %s', (carrier) => {
  let node: NodeStandIn;
  let installation: Installation;

  beforeAll(async () => {
    node = await startNodeStandIn();
    installation = await install({ nodes: () => unixSocket(node.socketPath), carrier });
    const { createVm, createVmi } = vmsOf(installation);
    await Promise.all([createVm('off'), createVm('web', 'Always')]);
    await createVmi('web', { conditions: [{ type: 'AgentConnected', status: 'True' }] });
    await allow(installation.server.client, 'jane', [
      { apiGroups: ['subresources.kubevirt.io'], resources: ['virtualmachines/start'], verbs: ['update'] },
      { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['get', 'list'] },
    ]);
  });
  afterAll(async () => {
    await installation?.close();
    await node?.close();
  });

  const call = async (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown, as?: string) => {
    const { server } = installation;
    const transport = as
      ? server.inProcess({ username: as, groups: ['system:authenticated'] })
      : await server.overHttp();
    const [plain = '', query = ''] = path.split('?');
    return transport.call({ method, path: plain, query: Object.fromEntries(new URLSearchParams(query)), body });
  };

  it('sets the defaults of a VM, and refuses a wrong one by its field', async () => {
    const vm = (name: string, domain: object) => ({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name },
      spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {}, ...domain } } } },
    });
    const created = await call('POST', VMS, vm('made', { memory: { guest: '64Mi' } }));
    expect(created).toMatchObject({
      status: 201,
      body: { spec: { template: { spec: { domain: { machine: { type: expect.any(String) } } } } } },
    });
    const disks = [{ name: 'a' }, { name: 'a' }];
    const refused = await call('POST', VMS, vm('wrong', { memory: { guest: '64Mi' }, devices: { disks } }));
    expect(refused).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect((refused.body as { message: string }).message).toContain(
      'admission webhook "virtualmachine-validator.kubevirt.io" denied the request: spec.template.spec.domain.devices.disks[0]',
    );
  });

  it('starts and stops VMs for whoever may', async () => {
    expect(await call('PUT', `${SUB}/virtualmachines/off/start`, {}, 'jane')).toMatchObject({ status: 202 });
    expect(await call('PUT', `${SUB}/virtualmachines/off/stop`, {}, 'jane')).toMatchObject({
      status: 403,
      body: {
        reason: 'Forbidden',
        message: expect.stringContaining('User "jane" cannot update resource "virtualmachines/stop"'),
      },
    });
    expect(await call('PUT', `${SUB}/virtualmachines/web/stop`, {})).toMatchObject({ status: 202 });
    expect(await call('PUT', `${SUB}/virtualmachines/absent/start`, {})).toMatchObject({ status: 404 });
  });

  it('carries a console in both directions', async () => {
    const console = await terminal(installation, 'virtualmachineinstances/web/console');
    await console.shows('login: ');
    console.type('root\n');
    await console.shows('guest:root\n');
    console.socket.close(1000);
    await console.ended();
    expect(console.closed?.code).toBe(1000);
  });

  it('hands on what the node says', async () => {
    expect(await call('GET', `${SUB}/virtualmachineinstances/web/guestosinfo`)).toMatchObject({
      status: 200,
      body: { os: { id: 'debian' } },
    });
    node.refuseNext(409, { kind: 'Status', status: 'Failure', message: 'not now', reason: 'Conflict', code: 409 });
    expect(await call('PUT', `${SUB}/virtualmachineinstances/web/pause`, {})).toMatchObject({
      status: 409,
      body: { message: 'not now' },
    });
  });

  it('draws graphs, plugs volumes in, and has the Steve API, as the user', async () => {
    expect(await call('GET', `${SUB}/virtualmachines/web/objectgraph`)).toMatchObject({
      status: 200,
      body: { objectReference: { name: 'web' } },
    });
    const volume = {
      name: 'data',
      disk: { disk: { bus: 'scsi' } },
      volumeSource: { persistentVolumeClaim: { claimName: 'data' } },
    };
    expect((await call('PUT', `${SUB}/virtualmachines/off/addvolume`, volume)).status).toBe(202);
    const steve = '/v1/harvester/kubevirt.io.virtualmachines/default';
    expect(await call('GET', `${steve}/web`, undefined, 'jane')).toMatchObject({
      status: 200,
      body: { id: 'default/web', links: expect.any(Object) },
    });
    expect(await call('POST', `${steve}/web?action=stop`, {}, 'jane')).toMatchObject({ status: 403 });
  });

  it('grants tokens for uploads, and looks at them', async () => {
    const path = '/apis/upload.cdi.kubevirt.io/v1beta1/namespaces/default/uploadtokenrequests';
    const kind = { apiVersion: 'upload.cdi.kubevirt.io/v1beta1', kind: 'UploadTokenRequest', metadata: { name: 'a' } };
    const granted = await call('POST', path, { ...kind, spec: { pvcName: 'data' } });
    expect(granted).toMatchObject({ status: 200, body: { status: { token: expect.any(String) } } });
    const { token } = (granted.body as { status: { token: string } }).status;
    const anonymous = await installation.server.overHttp({ token });
    expect(await anonymous.call({ method: 'POST', path: '/v1beta1/upload', body: {} })).toMatchObject({
      status: 503,
      body: 'claim default/data does not exist',
    });
    const stranger = await installation.server.overHttp({ token: 'none' });
    expect(await stranger.call({ method: 'POST', path: '/v1beta1/upload', body: {} })).toMatchObject({ status: 401 });
  });
});
