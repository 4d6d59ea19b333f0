import { CertificateSigningRequest, ConfigMap, Lease, Node, timestamp } from '@vireo/api';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { Client } from '@vireo/kube';
import { certificateRequestPem, newKey } from '@vireo/kube/certificates/request.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startVmServer, type VmServer } from '../../testing/vmServer.ts';
import { givenUpText, questionText } from './fenceText.ts';

const TAINT = 'node.kubernetes.io/out-of-service';
let server: VmServer;
let admin: Client;

beforeAll(async () => {
  server = await startVmServer();
  admin = server.installation.server.client;
});
afterAll(() => server?.close());
beforeEach(async () => {
  for (const { metadata } of (await admin.of(Node).list()).items) await admin.of(Node).delete(metadata.name);
});

const createNode = async (name: string, ready: 'True' | 'Unknown'): Promise<void> => {
  await admin.of(Node).create({ metadata: { name }, spec: { taints: [{ key: 'lab', effect: 'NoSchedule' }] } });
  const conditions = [{ type: 'Ready', status: ready }];
  await admin.of(Node).patchStatus(name, { status: { conditions } }, { type: 'merge' });
};
const taints = async (name: string): Promise<string[]> =>
  ((await admin.of(Node).get(name)).spec?.taints ?? []).map(({ key }) => key);
/** Stands in for the controllers: they give up the VMIs of a node that is declared off. */
async function giveUp(name: string, node: string, status: object = { phase: 'Failed' }): Promise<void> {
  await expect.poll(() => taints(node).catch(() => []), { timeout: 30_000 }).toContain(TAINT);
  // Users cannot write what VMIs are.
  const username = 'system:serviceaccount:kubevirt:kubevirt-controller';
  const controllers = new Client(server.installation.server.inProcess({ username, groups: ['system:masters'] }));
  await controllers.of(Vmi).patch(name, { status }, { namespace: 'default', type: 'merge' });
}

/** Stands in for the agent of a node, which renews its lease. */
async function whileRenewing<T>(node: string, run: () => Promise<T>): Promise<T> {
  const leases = admin.of(Lease);
  const namespace = 'kube-node-lease';
  await leases.create({ metadata: { name: node, namespace }, spec: { leaseDurationSeconds: 40 } });
  const renewing = setInterval(() => {
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    void leases.patch(node, { spec: { renewTime } }, { namespace, type: 'merge' });
  }, 200);
  try {
    return await run();
  } finally {
    clearInterval(renewing);
    await leases.delete(node, { namespace });
  }
}

it('a silent node is fenced and unfenced', async () => {
  await createNode('n1', 'Unknown');
  await server.instance('web');
  const unconfirmed = await server.run('node', 'fence', 'n1');
  expect(unconfirmed).toMatchObject({ code: 1, stderr: expect.stringContaining('add --yes') });
  expect(await taints('n1')).not.toContain(TAINT);

  const [{ code, stdout }] = await Promise.all([server.run('node', 'fence', 'n1', '--yes'), giveUp('web', 'n1')]);
  expect(stdout).toContain('The node n1 is fenced. Given up');
  expect(stdout).toContain('default/web');
  expect(code).toBe(0);
  expect(await taints('n1')).toEqual(expect.arrayContaining(['lab', TAINT]));

  expect((await server.run('node', 'unfence', 'n1')).stdout).toContain('when its agent reports');
  expect(await taints('n1')).not.toContain(TAINT);
});

it('a node that reports is not fenced', async () => {
  await createNode('n2', 'True');
  const { code, stderr } = await whileRenewing('n2', () => server.run('node', 'fence', 'n2', '--yes'));
  expect(stderr).toContain('reports, so its host is on');
  expect(code).toBe(1);
  expect(await taints('n2')).not.toContain(TAINT);
});

it('the VMs of a node that was removed are given up by a Node that is there for as long as that takes', async () => {
  await server.instance('db');
  const [{ stdout, code }] = await Promise.all([server.run('node', 'fence', 'n1', '--yes'), giveUp('db', 'n1')]);
  expect(stdout).toContain('Its Node had been removed');
  expect(code).toBe(0);
  expect(await admin.of(Node).find('n1')).toBeUndefined();
  const unknown = await server.run('node', 'fence', 'n1', '--yes');
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no node n1') });
});

describe('a node that a guest is moving to', () => {
  const migrationState = { migrationUid: 'm', sourceNode: 'n6', targetNode: 'n5', startTimestamp: timestamp() };
  const noted = { migrationState: { failureReason: 'the host of node n5 is powered off' } };

  it.each([
    ['fenced', 'moving-1', ['node', 'fence', 'n5', '--yes']],
    ['deleted by force', 'moving-2', ['node', 'delete', 'n5', '--force', '--yes']],
  ])('is %s only when the source has been told', async (_, name, command) => {
    await createNode('n5', 'Unknown');
    await server.instance(name, [], { status: { nodeName: 'n6', migrationState } });
    const refused = await server.run('node', 'delete', 'n5');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`moving to node n5:\n  default/${name}`),
    });
    const early = await server.run(...command, '--timeout', '2s');
    expect(early).toMatchObject({ code: 124, stderr: expect.stringContaining('not given up yet') });
    expect(await admin.of(Node).find('n5')).toBeDefined();
    // `giveUp` below waits for the taint.
    await server.run('node', 'unfence', 'n5');
    const [{ stdout, code }] = await Promise.all([server.run(...command), giveUp(name, 'n5', noted)]);
    expect(stdout).toContain(`They go on where they come from:\n  default/${name}`);
    expect(code).toBe(0);
  });

  it('is fenced although its Node was removed', async () => {
    await server.instance('moving-3', [], { status: { nodeName: 'n6', migrationState } });
    const [{ stdout, code }] = await Promise.all([
      server.run('node', 'fence', 'n5', '--yes'),
      giveUp('moving-3', 'n5', noted),
    ]);
    expect(stdout).toContain('Its Node had been removed');
    expect(code).toBe(0);
  });
});

it('a policy is an annotation, which the agent confirms', async () => {
  await createNode('n3', 'True');
  const annotations = { 'vireo.io/guests-stop-after-seconds': '90' };
  await admin.of(Lease).create({ metadata: { name: 'n3', namespace: 'kube-node-lease', annotations }, spec: {} });
  const policy = ['node', 'fence', '--policy', 'lease', '--stop-after', '90s', '--restart-after', '3m', 'n3'];
  const { stdout, code } = await server.run(...policy);
  expect(stdout).toBe(
    'When node n3 is silent, it ends its guests after 90 s, and their VMs start on other nodes after 180 s.\n',
  );
  expect(code).toBe(0);
  const written = async () => (await admin.of(Node).get('n3')).metadata.annotations?.['vireo.io/fencing'];
  expect(await written()).toBe('lease stopAfter=90s restartAfter=180s');

  const none = await server.run('node', 'fence', '--policy', 'none', '--timeout', '2s', 'n3');
  expect(none).toMatchObject({ code: 124, stderr: expect.stringContaining('has not confirmed the policy') });
  expect(await written()).toBeUndefined();
});

describe('vireo node delete', () => {
  const at = { namespace: 'kube-node-lease' };
  const record = () => admin.of(ConfigMap).find('deleted-node.n1', { namespace: 'kube-system' });

  it('deletes a node that has stopped, with its Lease and its requests for certificates, and revokes those', async () => {
    await createNode('n1', 'Unknown');
    await admin.of(Lease).create({ metadata: { name: 'n1', ...at }, spec: {} });
    for (const [name, commonName] of [
      ['of-n1', 'vireo:node:n1'],
      ['of-n2', 'vireo:node:n2'],
    ] as const) {
      const request = btoa(certificateRequestPem({ commonName }, newKey()));
      const spec = { request, signerName: 'example.com/any', usages: ['client auth'] };
      await admin.of(CertificateSigningRequest).create({ metadata: { name }, spec });
    }
    const { stdout, code } = await server.run('node', 'delete', 'n1');
    expect(stdout).toContain('Deleted the node n1. Its host can join again');
    expect(code).toBe(0);
    expect(await admin.of(Node).find('n1')).toBeUndefined();
    expect(await admin.of(Lease).find('n1', at)).toBeUndefined();
    const requests = (await admin.of(CertificateSigningRequest).list()).items.map(({ metadata }) => metadata.name);
    expect(requests).toEqual(['of-n2']);
    expect(await record()).toBeDefined();
    const again = await server.run('node', 'delete', 'n1');
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no node n1') });
  });

  it('cordons a node and names the VMs on it; they start elsewhere first if its host is powered off', async () => {
    await createNode('n1', 'Unknown');
    await server.instance('kept');
    const refused = await server.run('node', 'delete', 'n1');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/these VMs are on node n1:\n {2}default\/kept/),
    });
    expect((await admin.of(Node).get('n1')).spec?.unschedulable).toBe(true);
    const before = (await record())?.metadata.uid;
    const [{ stdout, code }] = await Promise.all([
      server.run('node', 'delete', 'n1', '--force', '--yes'),
      giveUp('kept', 'n1'),
    ]);
    expect(stdout).toMatch(/The node n1 is fenced[\s\S]*Deleted the node n1/);
    expect(code).toBe(0);
    expect((await record())?.metadata.uid).not.toBe(before);
  });

  it('leaves a node alone whose agent runs, and one of a kubelet', async () => {
    await createNode('n4', 'True');
    const [reporting, foreign] = await whileRenewing('n4', async () => {
      const first = await server.run('node', 'delete', 'n4');
      const status = { nodeInfo: { kubeletVersion: 'v1.36.0' } };
      await admin.of(Node).patchStatus('n4', { status } as Partial<Node>, { type: 'merge' });
      return [first, await server.run('node', 'delete', 'n4')];
    });
    expect(reporting).toMatchObject({ code: 1, stderr: expect.stringContaining('the agent of node n4 is running') });
    expect(foreign).toMatchObject({ code: 1, stderr: expect.stringContaining('is a kubelet’s') });
    expect(await admin.of(Node).find('n4')).toBeDefined();
  });
});

it('what is asked and told names the VMs', () => {
  expect(questionText('n1', ['shop/web'])).toMatch(/on node n1.*\n {2}shop\/web\n.*run twice.*\nIs the host off\?/);
  expect(questionText('n1', [], ['shop/db'])).toMatch(/^No VM is on node n1.\n.*moving to node n1.*\n {2}shop\/db\n/);
  expect(givenUpText('n1', [], { isRemoved: false })).toMatch(/No VM was on it\.\n.*vireo node unfence n1$/);
});
