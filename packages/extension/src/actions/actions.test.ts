import { Node } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { Client, type Transport } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unixSocket } from '../streams/nodeConnections.ts';
import { type Installation, install } from '../testing/installation.ts';
import { type NodeStandIn, startNodeStandIn } from '../testing/nodeStandIn.ts';
import { guestfsInfo } from './paths.ts';
import { restart } from './vm/restart.ts';
import { write } from './writes.ts';

let node: NodeStandIn;
let installation: Installation;

beforeAll(async () => {
  node = await startNodeStandIn();
  installation = await install({ nodes: (name) => (name === 'n1' ? unixSocket(node.socketPath) : undefined) });
});
afterAll(async () => {
  await installation?.close();
  await node?.close();
});

const SUB = '/apis/subresources.kubevirt.io/v1';
const NODE = '/v1/namespaces/default/virtualmachineinstances';
const spec = {
  domain: { devices: {}, memory: { guest: '64Mi' } },
  terminationGracePeriodSeconds: 20,
};

const call = async (method: 'GET' | 'PUT', path: string, body?: unknown) =>
  (await installation.server.overHttp()).call({
    method,
    path: path.startsWith('/') ? path : `${SUB}/namespaces/default/${path}`,
    body,
  });

const vms = () => installation.server.client.of(VirtualMachine);
const vmis = () => installation.server.client.of(VirtualMachineInstance);
const at = { namespace: 'default' };

/** Components may write what users may not: the phase, for one. */
const component = (name: string) =>
  new Client(
    installation.server.inProcess({
      username: `system:serviceaccount:kubevirt:${name}`,
      groups: ['system:masters', 'system:authenticated'],
    }),
  );

const createVm = (name: string, runStrategy: string) =>
  vms().create({ metadata: { name, namespace: 'default' }, spec: { runStrategy, template: { spec } } });

async function createVmi(name: string, status: object = {}) {
  await vmis().create({ metadata: { name, namespace: 'default' }, spec });
  const running = { phase: 'Running', nodeName: 'n1', ...status };
  return component('kubevirt-handler')
    .of(VirtualMachineInstance)
    .patch(name, { status: running }, { ...at, type: 'merge' });
}

describe('a VM', () => {
  it('that is halted starts by its run strategy', async () => {
    await createVm('halted', 'Halted');
    expect(await call('PUT', 'virtualmachines/halted/start')).toMatchObject({ status: 202 });
    expect((await vms().get('halted', at)).spec.runStrategy).toBe('Always');
    expect(await call('PUT', 'virtualmachines/halted/start')).toMatchObject({
      status: 409,
      body: {
        kind: 'Status',
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on virtualmachine.kubevirt.io "halted": Always does not support manual start requests',
        details: { name: 'halted', group: 'kubevirt.io', kind: 'virtualmachine' },
      },
    });
  });

  it('answers in the old version as in the new one', async () => {
    await createVm('old', 'Halted');
    const path = '/apis/subresources.kubevirt.io/v1alpha3/namespaces/default/virtualmachines/old/start';
    expect(await call('PUT', path)).toMatchObject({ status: 202 });
    expect((await vms().get('old', at)).spec.runStrategy).toBe('Always');
  });

  it('that is started by hand gets a request', async () => {
    await createVm('manual', 'Manual');
    expect(await call('PUT', 'virtualmachines/manual/start', { paused: true })).toMatchObject({ status: 202 });
    expect((await vms().get('manual', at)).status?.stateChangeRequests).toEqual([
      { action: 'Start', data: { paused: 'true' } },
    ]);
  });

  it('stays as it is in a dry run', async () => {
    const before = await createVm('dry', 'Always');
    expect(await call('PUT', 'virtualmachines/dry/stop', { dryRun: ['All'] })).toMatchObject({ status: 202 });
    expect((await vms().get('dry', at)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it('that is restarted by force has a second to go', async () => {
    await createVm('forced', 'Always');
    const { metadata } = await createVmi('forced');
    expect(await call('PUT', 'virtualmachines/forced/restart', { gracePeriodSeconds: 0 })).toMatchObject({
      status: 202,
    });
    expect((await vms().get('forced', at)).status?.stateChangeRequests).toEqual([
      { action: 'Stop', uid: metadata.uid },
      { action: 'Start' },
    ]);
    expect((await vmis().get('forced', at)).spec.terminationGracePeriodSeconds).toBe(1);
  });

  it('that could not start again is left running, and whoever restarts it reads why', async () => {
    const named = { ...spec, domain: { ...spec.domain, cpu: { model: 'Nehalem' } } };
    await vms().create({
      metadata: { name: 'model', namespace: 'default' },
      spec: { runStrategy: 'Manual', template: { spec: named } },
    });
    await createVmi('model');
    const why =
      'Operation cannot be fulfilled on virtualmachine.kubevirt.io "model": it cannot start: spec.template.spec.domain.cpu.model: hyperv-layered exposes the CPU of the host to guests; use host-passthrough';
    const kubevirts = installation.server.client.of(KubeVirt);
    await kubevirts.create({
      metadata: { name: 'kubevirt', namespace: 'kubevirt' },
      spec: {
        configuration: {
          hypervisorConfiguration: { name: 'hyperv-layered' },
          developerConfiguration: { featureGates: ['ConfigurableHypervisor'] },
        },
      },
    });
    try {
      await expect
        .poll(() => call('PUT', 'virtualmachines/model/restart'))
        .toMatchObject({ status: 409, body: { message: why } });
      expect((await vms().get('model', at)).status?.stateChangeRequests).toBeUndefined();
      const old = '/apis/subresources.harvesterhci.io/v1beta1/namespaces/default/virtualmachines/model/restart';
      expect(await call('PUT', old)).toMatchObject({ status: 409 });
      expect(await call('PUT', 'virtualmachines/model/stop')).toMatchObject({ status: 202 });
    } finally {
      await kubevirts.delete('kubevirt', { namespace: 'kubevirt' });
    }
  });

  it('that cannot be restarted by force has its time back', async () => {
    await createVm('undone', 'Always');
    await createVmi('undone');
    const { transport } = component('kubevirt-apiserver');
    const failing: Transport = {
      ...transport,
      call: async (request) =>
        request.path.endsWith('/virtualmachines/undone/status')
          ? { status: 500, headers: {}, body: 'the store is full' }
          : transport.call(request),
    };
    const client = new Client(failing);
    const target = { vm: await vms().get('undone', at), vmi: await vmis().get('undone', at) };
    const plan = restart.decide(target, {
      body: { gracePeriodSeconds: 0 },
      parameters: {},
      query: new URLSearchParams(),
    });
    const writes = plan.type === 'write' ? plan.writes : [];
    await expect(write(client, target, writes, false)).rejects.toThrow('the store is full');
    const after = await vmis().get('undone', at);
    expect(after.spec.terminationGracePeriodSeconds).toBe(20);
    expect(after.metadata.resourceVersion).not.toBe(target.vmi.metadata.resourceVersion);
  });

  it('takes every one of many requests at once, or says why not', async () => {
    await createVm('crowded', 'Manual');
    const answers = await Promise.all(Array.from({ length: 6 }, () => call('PUT', 'virtualmachines/crowded/start')));
    const codes = answers.map(({ status }) => status).sort();
    expect(codes).toEqual([202, 409, 409, 409, 409, 409]);
    expect((await vms().get('crowded', at)).status?.stateChangeRequests).toHaveLength(1);
  });

  it('that is not there is not found', async () => {
    expect(await call('PUT', 'virtualmachines/nobody/start')).toMatchObject({
      status: 404,
      body: {
        message: 'virtualmachine.kubevirt.io "nobody" not found',
        details: { name: 'nobody', group: 'kubevirt.io', kind: 'virtualmachine' },
      },
    });
  });

  it('is its own expansion', async () => {
    await createVm('plain', 'Halted');
    expect(await call('GET', 'virtualmachines/plain/expand-spec')).toMatchObject({
      status: 200,
      body: { kind: 'VirtualMachine', metadata: { name: 'plain' } },
    });
  });
});

describe('a VMI', () => {
  beforeAll(() => createVmi('web', { conditions: [{ type: 'AgentConnected', status: 'True' }] }));

  it.each(['pause', 'softreboot', 'reset', 'unfreeze'])('has its node %s it', async (action) => {
    expect(await call('PUT', `virtualmachineinstances/web/${action}`)).toMatchObject({ status: 200, body: '' });
    expect(node.asked.at(-1)).toBe(`PUT ${NODE}/web/${action}`);
  });

  it('is frozen for as long as the request says', async () => {
    const body = { unfreezeTimeout: '5m0s' };
    expect(await call('PUT', 'virtualmachineinstances/web/freeze', body)).toMatchObject({ status: 200 });
    expect(node.asked.at(-1)).toBe(`PUT ${NODE}/web/freeze {"unfreezeTimeout":"5m0s"}`);
  });

  it('is not paused on its node in a dry run', async () => {
    const before = node.asked.length;
    expect(await call('PUT', 'virtualmachineinstances/web/pause', { dryRun: ['All'] })).toMatchObject({ status: 200 });
    expect(node.asked.length).toBe(before);
  });

  it('runs no command in a dry run, and responds with an object', async () => {
    const before = node.asked.length;
    const body = { command: ['id'], dryRun: ['All'] };
    expect(await call('PUT', 'virtualmachineinstances/web/exec', body)).toMatchObject({
      status: 200,
      body: { kind: 'ExecStatus', pid: 0, exited: false },
    });
    expect(node.asked.length).toBe(before);
  });

  it('tells what its agent knows', async () => {
    expect(await call('GET', 'virtualmachineinstances/web/guestosinfo')).toMatchObject({
      status: 200,
      body: { os: { id: 'debian' } },
    });
  });

  it('has a screenshot', async () => {
    const response = await call('GET', 'virtualmachineinstances/web/vnc/screenshot');
    expect(response).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } });
  });

  it('hands on what its node refuses', async () => {
    node.refuseNext(409, {
      kind: 'Status',
      apiVersion: 'v1',
      reason: 'Conflict',
      message: 'the domain is busy',
      code: 409,
    });
    expect(await call('PUT', 'virtualmachineinstances/web/reset')).toMatchObject({
      status: 409,
      body: { reason: 'Conflict', message: 'the domain is busy' },
    });
  });

  it('on a node that nobody knows is 503, with the name of the node', async () => {
    await createVmi('lost', { nodeName: 'n2' });
    expect(await call('PUT', 'virtualmachineinstances/lost/pause')).toMatchObject({
      status: 503,
      body: {
        message: 'node "n2" of virtual machine instance default/lost is unknown to this server',
      },
    });
  });

  it('has no stream without a WebSocket', async () => {
    expect(await call('GET', 'virtualmachineinstances/web/console')).toMatchObject({
      status: 400,
      body: { message: 'virtualmachineinstances/console is a stream; connect with a WebSocket' },
    });
  });
});

describe('the installation', () => {
  it('tells its version', async () => {
    expect(await call('GET', `${SUB}/version`)).toMatchObject({ status: 200, body: { gitVersion: 'v1.9.0' } });
  });

  it('is in discovery, in both versions', async () => {
    for (const version of ['v1', 'v1alpha3']) {
      const { body } = await call('GET', `/apis/subresources.kubevirt.io/${version}`);
      const names = (body as { resources: { name: string }[] }).resources.map(({ name }) => name);
      expect(names).toContain('virtualmachines/start');
      expect(names).toContain('virtualmachineinstances/console');
      expect(names).toContain('guestfs');
    }
  });

  it.each(['v1', 'v1alpha3'])(
    'says in %s which image virtctl guestfs takes, to whoever is logged in',
    async (version) => {
      const path = `/apis/subresources.kubevirt.io/${version}/guestfs`;
      const as = (username: string, ...groups: string[]) =>
        installation.server.inProcess({ username, groups }).call({ method: 'GET', path });
      expect(await as('jane', 'system:authenticated')).toMatchObject({
        status: 200,
        body: { registry: expect.stringMatching(/./), tag: 'v1.9.0', digest: '', imagePrefix: '', gsImage: '' },
      });
      expect(await as('system:anonymous', 'system:unauthenticated')).toMatchObject({ status: 403 });
    },
  );

  it('takes the image of libguestfs from where its KubeVirt object says', () => {
    expect(guestfsInfo({ imageRegistry: 'registry.example/kubevirt', imageTag: 'v1.9.1' })).toMatchObject({
      registry: 'registry.example/kubevirt',
      tag: 'v1.9.1',
    });
  });

  it('lets the admin role act and the view role look', async () => {
    const as = (group: string) =>
      installation.server.inProcess({ username: 'jane', groups: [group, 'system:authenticated'] });
    const { client } = installation.server;
    const rbac = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };
    for (const role of ['edit', 'view'])
      await client.call({
        method: 'POST',
        path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
        body: {
          metadata: { name: `vms-${role}` },
          roleRef: { ...rbac, name: `kubevirt.io:${role}` },
          subjects: [{ apiGroup: rbac.apiGroup, kind: 'Group', name: role }],
        },
      });
    await createVm('shared', 'Manual');
    const path = `${SUB}/namespaces/default/virtualmachines/shared`;
    expect(await as('view').call({ method: 'PUT', path: `${path}/start` })).toMatchObject({ status: 403 });
    expect(await as('view').call({ method: 'GET', path: `${path}/expand-spec` })).toMatchObject({ status: 200 });
    expect(await as('edit').call({ method: 'PUT', path: `${path}/start` })).toMatchObject({ status: 202 });
  });
});

describe('an evacuation', () => {
  it('is called off, and not in a dry run', async () => {
    await createVmi('leaving', { evacuationNodeName: 'n1' });
    const path = 'virtualmachineinstances/leaving/evacuate/cancel';
    expect(await call('PUT', path, { dryRun: ['All'] })).toMatchObject({ status: 200 });
    expect((await vmis().get('leaving', at)).status?.evacuationNodeName).toBe('n1');
    // An empty list is no dry run.
    expect(await call('PUT', path, { dryRun: [] })).toMatchObject({ status: 200 });
    expect((await vmis().get('leaving', at)).status?.evacuationNodeName).toBeUndefined();
    // Nothing is marked any more.
    expect(await call('PUT', path)).toMatchObject({ status: 200 });
  });

  it('goes on as long as the node has the taint', async () => {
    await createVmi('tainted', { nodeName: 'n7', evacuationNodeName: 'n7' });
    const nodes = installation.server.client.of(Node);
    const taints = [{ key: 'kubevirt.io/drain', effect: 'NoSchedule' as const }];
    await nodes.create({ metadata: { name: 'n7' }, spec: { taints } });
    const path = 'virtualmachineinstances/tainted/evacuate/cancel';
    expect(await call('PUT', path)).toMatchObject({
      status: 400,
      body: { message: 'Node "n7" has NodeDrainTaintKey "kubevirt.io/drain"' },
    });
    expect((await vmis().get('tainted', at)).status?.evacuationNodeName).toBe('n7');
  });
});
