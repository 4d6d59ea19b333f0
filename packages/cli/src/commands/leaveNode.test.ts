import { Node, Pod, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '@vireo/api';
import { KUBELET_GROUP, kubeletUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Installation, install } from '@vireo/extension/testing/installation.ts';
import { Client } from '@vireo/kube';
import { evacuateNode } from '@vireo/node';
import { afterAll, beforeAll, expect, it } from 'vitest';

let installation: Installation;
let admin: Client;
let kubelet: Client;

beforeAll(async () => {
  installation = await install();
  admin = installation.server.client;
  const groups = [KUBELET_GROUP, 'system:authenticated'];
  kubelet = new Client(installation.server.inProcess({ username: kubeletUser('n1'), groups }));
  await admin.of(Node).create({ metadata: { name: 'n1' } });
});
afterAll(() => installation?.close());

const at = { namespace: 'default' };
const MARK = 'vireo.io/cordoned-for-shutdown';

/** A VMI that runs on node n1 as far as its objects tell, and its launcher pod. */
async function running(name: string, evictionStrategy: string | undefined, isMigratable = true): Promise<void> {
  const domain = { devices: {}, memory: { guest: '64Mi' } };
  const labels = { 'kubevirt.io/nodeName': 'n1' };
  const vmi = await admin.of(Vmi).create({
    metadata: { name, ...at },
    spec: { domain, ...(evictionStrategy && { evictionStrategy }), terminationGracePeriodSeconds: 60 },
  });
  const conditions = [{ type: 'LiveMigratable', status: isMigratable ? 'True' : 'False' }];
  await installation.client.of(Vmi).patchExactly(vmi, {
    metadata: { labels },
    status: { phase: 'Running', nodeName: 'n1', conditions },
  });
  const { uid } = vmi.metadata;
  const owner = { apiVersion: 'kubevirt.io/v1', kind: Vmi.kind, name, uid, controller: true };
  await admin.of(Pod).create({
    metadata: {
      name: `virt-launcher-${name}`,
      ...at,
      labels: { 'kubevirt.io': 'virt-launcher' },
      ownerReferences: [owner],
    },
    spec: { nodeName: 'n1', containers: [{ name: 'compute', image: 'i' }] },
  });
}

it('before the host of a node ends, VMs that can move leave it, and those that have not in time stay', async () => {
  await running('mobile', 'LiveMigrate');
  await running('slow', 'LiveMigrateIfPossible');
  await running('fixed', 'LiveMigrate', false);
  await running('unasked', 'None');
  await running('external', 'External');
  const seen: string[][] = [];
  const leave = (timeoutMs?: number) =>
    evacuateNode({
      nodes: ['n1'],
      kubelet,
      client: admin,
      timeoutMs,
      pollMs: 10,
      onProgress: ({ total, left }) => {
        seen.push([String(total), ...left]);
        // Nobody migrates here: this is what the target would write for the one that is quick enough.
        if (seen.length === 1)
          void installation.client.of(Vmi).patch('mobile', { status: { nodeName: 'n2' } }, { ...at, type: 'merge' });
      },
    });
  expect(await leave(2_000)).toEqual({ moved: ['default/mobile'], late: ['default/slow'] });
  // Whoever else leaves does not come here.
  const { spec, metadata } = await admin.of(Node).get('n1');
  expect([spec?.unschedulable, metadata.annotations?.[MARK]]).toEqual([true, 'true']);
  expect(seen[0]).toEqual(['2', 'default/mobile', 'default/slow']);
  expect(seen.at(-1)).toEqual(['2', 'default/slow']);
  const { items } = await admin.of(Vmi).list(at);
  const marked = items.filter(({ status }) => status?.evacuationNodeName === 'n1').map(({ metadata }) => metadata.name);
  expect(marked).toEqual(['mobile', 'slow']);
  // It had no time at all.
  expect(await leave(0)).toEqual({ moved: [], late: ['default/slow'] });
  expect((await admin.of(Pod).list(at)).items.some(({ metadata }) => metadata.deletionTimestamp)).toBe(false);
});

it('VMs leave by the word of the cluster, too, and a node that somebody has cordoned stays so', async () => {
  const namespace = 'kubevirt';
  const configuration = { evictionStrategy: 'LiveMigrate' };
  await admin.of(KubeVirt).create({ metadata: { name: 'kubevirt', namespace }, spec: { configuration } });
  await running('undecided', undefined);
  const annotations = { [MARK]: null };
  await admin.of(Node).patch('n1', { metadata: { annotations }, spec: { unschedulable: true } }, { type: 'merge' });
  const seen: string[][] = [];
  const onProgress = ({ left }: { left: readonly string[] }) => void seen.push([...left]);
  await evacuateNode({ nodes: ['n1'], kubelet, client: admin, timeoutMs: 0, onProgress });
  expect(seen[0]).toContain('default/undecided');
  expect((await admin.of(Node).get('n1')).metadata.annotations ?? {}).not.toHaveProperty(MARK);
});

it('a VM that cannot be asked to leave is named with the reason, and the others leave all the same', async () => {
  await running('refused', 'LiveMigrate');
  const policies = admin.of(ValidatingAdmissionPolicy);
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] },
  ];
  await policies.create({
    metadata: { name: 'stays' },
    spec: {
      matchConstraints: { resourceRules },
      validations: [{ expression: "request.name != 'virt-launcher-refused'", message: 'it has work to do' }],
    },
  });
  await admin.of(ValidatingAdmissionPolicyBinding).create({
    metadata: { name: 'stays' },
    spec: { policyName: 'stays', validationActions: ['Deny'] },
  });
  const failures: string[][] = [];
  const { moved, late } = await evacuateNode({
    nodes: ['n1'],
    kubelet,
    client: admin,
    timeoutMs: 0,
    onFailure: (...failure) => void failures.push(failure),
  });
  expect(failures).toEqual([['default/refused', expect.stringContaining('it has work to do')]]);
  expect(moved).toEqual([]);
  expect(late).toContain('default/slow');
  expect(late).not.toContain('default/refused');
});
