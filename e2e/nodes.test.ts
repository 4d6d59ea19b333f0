import { beforeAll, describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl, namespace } = useCluster();

const node = (name: string) => `
apiVersion: v1
kind: Node
metadata:
  name: ${name}
  labels: {kubernetes.io/hostname: ${name}}
---
`;

/** What a kubelet would say of a node that is well. */
const ready = JSON.stringify({
  status: {
    capacity: { cpu: '2', memory: '4Gi', pods: '110' },
    allocatable: { cpu: '2', memory: '4Gi', pods: '110' },
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        lastHeartbeatTime: '2030-01-01T00:00:00Z',
        lastTransitionTime: '2030-01-01T00:00:00Z',
      },
    ],
    nodeInfo: {
      architecture: 'amd64',
      operatingSystem: 'linux',
      kubeletVersion: 'v1.36.0',
      osImage: 'Debian',
      kernelVersion: '6.1',
      containerRuntimeVersion: 'none://0',
      bootID: '',
      kubeProxyVersion: '',
      machineID: '',
      systemUUID: '',
    },
  },
});

async function makeNode(name: string): Promise<void> {
  await kubectl.do('create -f -', { input: node(name) });
  await kubectl.do(`patch node ${name} --subresource=status -p '${ready}'`);
  await kubectl.until(`get node ${name} -o jsonpath={.spec.taints}`, '');
}

const pod = (name: string, { labels = '{}', spec = '' } = {}) => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: ${labels}}
spec:
  terminationGracePeriodSeconds: 0
  containers: [{name: main, image: busybox, resources: {requests: {cpu: 100m, memory: 64Mi}}}]
  ${spec}
---
`;

const scheduled = (name: string, ns: string) =>
  kubectl.do(`wait --for=condition=PodScheduled pod/${name} -n ${ns} --timeout=10s`);

beforeAll(() => makeNode('worker'));

describe('nodes', () => {
  it('are listed', async () => {
    const [table, wide] = await Promise.all([kubectl('get nodes'), kubectl('get nodes -o wide')]);
    expect(table).toMatchInlineSnapshot(`
      "NAME     STATUS   ROLES    AGE   VERSION
      worker   Ready    <none>   1s    v1.36.0"
    `);
    expect(wide).toMatchInlineSnapshot(`
      "NAME     STATUS   ROLES    AGE   VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE   KERNEL-VERSION   CONTAINER-RUNTIME
      worker   Ready    <none>   1s    v1.36.0   <none>        <none>        Debian     6.1              none://0"
    `);
  });

  it('take pods that fit, and the rest is told why not', async () => {
    await namespace('fit');
    await kubectl.do('create -n fit -f -', {
      input:
        pod('fits') + pod('picky', { spec: 'nodeSelector: {disk: ssd}' }) + pod('huge').replace('cpu: 100m', 'cpu: 64'),
    });
    await scheduled('fits', 'fit');
    expect(await kubectl('get pod fits -n fit -o jsonpath={.spec.nodeName}')).toBe('worker');
    const reason = (name: string) =>
      kubectl(`get pod ${name} -n fit -o jsonpath='{.status.conditions[?(@.type=="PodScheduled")].message}'`);
    await kubectl.do(
      `wait --for=jsonpath='{.status.conditions[0].reason}'=Unschedulable pod/picky pod/huge -n fit --timeout=10s`,
    );
    expect(await reason('picky')).toMatchInlineSnapshot(
      `"0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."`,
    );
    expect(await reason('huge')).toMatchInlineSnapshot(
      `"0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling. It requests 64 of cpu; at most 1900m is free on any node."`,
    );
  });
});

describe('kubectl cordon, uncordon and taint', () => {
  it('cordon keeps new pods away until uncordon', async () => {
    await namespace('fence');
    await makeNode('fenced');
    expect(await kubectl('cordon fenced')).toMatchInlineSnapshot(`"node/fenced cordoned"`);
    expect(await kubectl('cordon fenced')).toMatchInlineSnapshot(`"node/fenced already cordoned"`);
    expect(await kubectl('get node fenced')).toMatchInlineSnapshot(`
      "NAME     STATUS                     ROLES    AGE   VERSION
      fenced   Ready,SchedulingDisabled   <none>   1s    v1.36.0"
    `);
    await kubectl.do('create -n fence -f -', {
      input: pod('waits', { spec: 'nodeSelector: {kubernetes.io/hostname: fenced}' }),
    });
    await kubectl.do(
      `wait --for=jsonpath='{.status.conditions[0].reason}'=Unschedulable pod/waits -n fence --timeout=10s`,
    );
    expect(await kubectl(`get pod waits -n fence -o jsonpath='{.status.conditions[0].message}'`)).toMatchInlineSnapshot(
      `"0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable. preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."`,
    );
    expect(await kubectl('uncordon fenced')).toMatchInlineSnapshot(`"node/fenced uncordoned"`);
    await scheduled('waits', 'fence');
    expect(await kubectl('get pod waits -n fence -o jsonpath={.spec.nodeName}')).toBe('fenced');
  });

  it('taint adds, overwrites and removes', async () => {
    await makeNode('tainted');
    expect(await kubectl('taint node tainted key=value:NoSchedule')).toMatchInlineSnapshot(`"node/tainted tainted"`);
    expect(await kubectl('taint node tainted key=other:NoSchedule')).toMatchInlineSnapshot(`
      "error: node tainted already has key taint(s) with same effect(s) and --overwrite is false
      exit code 1"
    `);
    expect(await kubectl('taint node tainted key=other:NoSchedule --overwrite')).toMatchInlineSnapshot(
      `"node/tainted modified"`,
    );
    expect(await kubectl('get node tainted -o jsonpath={.spec.taints}')).toMatchInlineSnapshot(
      `"[{"effect":"NoSchedule","key":"key","value":"other"}]"`,
    );
    expect(await kubectl('taint node tainted key-')).toMatchInlineSnapshot(`"node/tainted untainted"`);
    expect(await kubectl('taint node tainted bad=x:Sometimes')).toMatchInlineSnapshot(`
      "error: invalid taint effect: Sometimes, unsupported taint effect
      See 'kubectl taint -h' for help and examples
      exit code 1"
    `);
  });
});

describe('kubectl drain', () => {
  const on = (name: string) => `nodeName: ${name}`;
  const owned = (text: string, uid: string) =>
    text.replaceAll(
      /metadata: \{/g,
      `metadata: {ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: set, uid: ${uid}, controller: true}], `,
    );

  /** A ReplicaSet that nobody fills: its pods are made by hand. */
  async function replicaSet(ns: string): Promise<string> {
    await kubectl.do(`create -n ${ns} -f -`, {
      input: `
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: set}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: busybox}]}
`,
    });
    return (await kubectl.run(`get replicaset set -n ${ns} -o jsonpath={.metadata.uid}`)).stdout;
  }

  it('moves pods away and cordons', async () => {
    await namespace('drain');
    await makeNode('drained');
    const uid = await replicaSet('drain');
    await kubectl.do('create -n drain -f -', {
      input: owned(pod('a', { spec: on('drained') }) + pod('b', { spec: on('drained') }), uid),
    });
    expect((await kubectl('drain drained')).split('\n').sort()).toMatchInlineSnapshot(`
      [
        "evicting pod drain/a",
        "evicting pod drain/b",
        "node/drained cordoned",
        "node/drained drained",
        "pod/a evicted",
        "pod/b evicted",
      ]
    `);
    expect(await kubectl('get pods -n drain')).toMatchInlineSnapshot(`"No resources found in drain namespace."`);
    expect(await kubectl('get node drained')).toMatchInlineSnapshot(`
      "NAME      STATUS                     ROLES    AGE   VERSION
      drained   Ready,SchedulingDisabled   <none>   1s    v1.36.0"
    `);
  });

  it('refuses pods that nobody would make again', async () => {
    await namespace('lone');
    await makeNode('lonely');
    await kubectl.do('create -n lone -f -', { input: pod('solo', { spec: on('lonely') }) });
    expect(await kubectl('drain lonely')).toContain(
      'cannot delete Pods that declare no controller (use --force to override): lone/solo',
    );
    expect(await kubectl('drain lonely --force')).toMatchInlineSnapshot(`
      "node/lonely already cordoned
      evicting pod lone/solo
      pod/solo evicted
      node/lonely drained
      Warning: deleting Pods that declare no controller: lone/solo"
    `);
  });

  it('waits where a disruption budget says so', async () => {
    await namespace('guard');
    await makeNode('guarded');
    const uid = await replicaSet('guard');
    await kubectl.do('create pdb keep -n guard --selector=app=web --min-available=1');
    await kubectl.do('create -n guard -f -', {
      input: owned(pod('kept', { labels: '{app: web}', spec: on('guarded') }), uid),
    });
    await kubectl.do(
      `patch pod kept -n guard --subresource=status -p '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}'`,
    );
    await kubectl.do(`wait --for=jsonpath='{.status.currentHealthy}'=1 pdb/keep -n guard --timeout=10s`);
    expect(await kubectl('get pdb -n guard')).toMatchInlineSnapshot(`
      "NAME   MIN AVAILABLE   MAX UNAVAILABLE   ALLOWED DISRUPTIONS   AGE
      keep   1               N/A               0                     1s"
    `);
    expect((await kubectl('drain guarded --timeout=1s')).split('\n')).toEqual(
      expect.arrayContaining([
        'node/guarded cordoned',
        `error when evicting pods/"kept" -n "guard" (will retry after 5s): Cannot evict pod as it would violate the pod's disruption budget.`,
        'exit code 1',
      ]),
    );
    expect(await kubectl('get pod kept -n guard -o jsonpath={.metadata.deletionTimestamp}')).toBe('');
    await kubectl.do('delete pdb keep -n guard');
    expect(await kubectl('drain guarded')).toMatchInlineSnapshot(`
      "node/guarded already cordoned
      evicting pod guard/kept
      pod/kept evicted
      node/guarded drained"
    `);
  });
});
