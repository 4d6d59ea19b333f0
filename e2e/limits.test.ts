import { describe, expect, it } from 'vitest';
import { useCluster } from './kubectl.ts';

const { kubectl, namespace } = useCluster();

const pod = (name: string, resources = '{}') => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  containers: [{name: main, image: busybox, resources: ${resources}}]
---
`;

describe('a resource quota', () => {
  it('counts objects and refuses one too many', async () => {
    await namespace('counted');
    await kubectl.do('create quota few -n counted --hard=pods=1,count/configmaps=3,count/deployments.apps=1');
    await kubectl.do(`wait --for=jsonpath='{.status.hard.pods}'=1 quota/few -n counted --timeout=10s`);
    await kubectl.do('create -n counted -f -', { input: pod('one') });
    await kubectl.do('create deployment one -n counted --image=nginx');
    const [podRefused, deploymentRefused] = await Promise.all([
      kubectl('create -n counted -f -', { input: pod('two') }),
      kubectl('create deployment two -n counted --image=nginx'),
    ]);
    expect(podRefused).toMatchInlineSnapshot(`
      "Error from server (Forbidden): error when creating "STDIN": pods "two" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1
      exit code 1"
    `);
    expect(deploymentRefused).toMatchInlineSnapshot(`
      "error: failed to create deployment: deployments.apps "two" is forbidden: exceeded quota: few, requested: count/deployments.apps=1, used: count/deployments.apps=1, limited: count/deployments.apps=1
      exit code 1"
    `);
    expect(await kubectl('get quota -n counted')).toMatchInlineSnapshot(`
      "NAME   REQUEST                                                         LIMIT   AGE
      few    count/configmaps: 1/3, count/deployments.apps: 1/1, pods: 1/1           1s"
    `);
    await kubectl.do('delete pod one -n counted');
    await kubectl.do(`wait --for=jsonpath='{.status.used.pods}'=0 quota/few -n counted --timeout=10s`);
    await kubectl.do('create -n counted -f -', { input: pod('two') });
  });

  it('adds up requests, and wants each pod to state them', async () => {
    await namespace('sized');
    await kubectl.do('create quota small -n sized --hard=requests.cpu=1,limits.memory=1Gi');
    await kubectl.until('get quota small -n sized -o jsonpath={.status.hard}', /./);
    await kubectl.do('create -n sized -f -', {
      input: pod('half', '{requests: {cpu: 600m}, limits: {memory: 256Mi}}'),
    });
    const [silent, large] = await Promise.all([
      kubectl('create -n sized -f -', { input: pod('silent') }),
      kubectl('create -n sized -f -', { input: pod('large', '{requests: {cpu: 600m}, limits: {memory: 256Mi}}') }),
    ]);
    expect(silent).toMatchInlineSnapshot(`
      "Error from server (Forbidden): error when creating "STDIN": pods "silent" is forbidden: failed quota: small: must specify limits.memory for: main; requests.cpu for: main
      exit code 1"
    `);
    expect(large).toMatchInlineSnapshot(`
      "Error from server (Forbidden): error when creating "STDIN": pods "large" is forbidden: exceeded quota: small, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1
      exit code 1"
    `);
  });
});

describe('a limit range', () => {
  it('fills in what a pod leaves out, and refuses what is out of bounds', async () => {
    await namespace('bounded');
    await kubectl.do('create -n bounded -f -', {
      input: `
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec:
  limits:
  - type: Container
    default: {cpu: 200m}
    defaultRequest: {cpu: 100m}
    max: {cpu: "1"}
    min: {cpu: 50m}
  - type: PersistentVolumeClaim
    max: {storage: 2Gi}
`,
    });
    await kubectl.do('create -n bounded -f -', { input: pod('plain') });
    expect(await kubectl('get pod plain -n bounded -o jsonpath={.spec.containers[0].resources}')).toMatchInlineSnapshot(
      `"{"limits":{"cpu":"200m"},"requests":{"cpu":"100m"}}"`,
    );
    const [large, small, claim] = await Promise.all([
      kubectl('create -n bounded -f -', { input: pod('large', '{limits: {cpu: 2}}') }),
      kubectl('create -n bounded -f -', { input: pod('small', '{requests: {cpu: 10m}}') }),
      kubectl('create -n bounded -f -', {
        input: `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 3Gi}}}
`,
      }),
    ]);
    expect(large).toMatchInlineSnapshot(`
      "Error from server (Forbidden): error when creating "STDIN": pods "large" is forbidden: maximum cpu usage per Container is 1, but limit is 2
      exit code 1"
    `);
    expect(small).toMatchInlineSnapshot(`
      "Error from server (Forbidden): error when creating "STDIN": pods "small" is forbidden: minimum cpu usage per Container is 50m, but request is 10m
      exit code 1"
    `);
    expect(claim).toMatchInlineSnapshot(`
      "Error from server (Forbidden): error when creating "STDIN": persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi
      exit code 1"
    `);
  });
});
