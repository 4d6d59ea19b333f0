import { describe, expect, it } from 'vitest';
import { useVms } from './fixture.ts';
import { vm } from './manifests.ts';

const { kubectl, untilStatus, clear, create } = useVms();

const conditionOf = (name: string, type: string): Promise<string> =>
  kubectl(`get vm ${name} -o 'jsonpath={.status.conditions[?(@.type=="${type}")].message}'`);
const eventsOf = (object: string): Promise<string> => kubectl(`events --for ${object}`);
const launcherOf = (name: string): Promise<string> => kubectl(`get pods -l vm.kubevirt.io/name=${name} -o name`);

describe('a VM that cannot start says why', () => {
  it('in its status, its conditions and its events', async () => {
    await create(
      vm('huge', { memory: '900Gi' }),
      vm('picky', { spec: { nodeSelector: { disk: 'none-such' } } }),
      vm('imageless', { image: 'no/such:image' }),
      vm('secretless', {
        volumes: [{ name: 'settings', cloudInitNoCloud: { secretRef: { name: 'missing' } } }],
      }),
      vm('claimless', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'nowhere' } }] }),
      vm('crashing', { guest: 'crashing' }),
    );
    await Promise.all([
      untilStatus(['huge', 'picky'], 'ErrorUnschedulable'),
      untilStatus('imageless', 'ImagePullBackOff'),
      untilStatus('claimless', 'ErrorPvcNotFound'),
      untilStatus('crashing', 'CrashLoopBackOff'),
    ]);
    await kubectl.do('wait vm/secretless --for=condition=Synchronized=False --timeout=60s');
  }, 120_000);

  it('too little memory', async () => {
    expect(await conditionOf('huge', 'PodScheduled')).toMatch(/^0\/1 nodes are available: 1 Insufficient memory\./);
    expect(await eventsOf(await launcherOf('huge'))).toMatch(/Warning +FailedScheduling .*1 Insufficient memory/);
  });

  it('no fitting node', async () => {
    const why = "1 node(s) didn't match Pod's node affinity/selector";
    expect(await conditionOf('picky', 'PodScheduled')).toContain(why);
    expect(await eventsOf(await launcherOf('picky'))).toContain(why);
  });

  it('a bad image', async () => {
    expect(await conditionOf('imageless', 'Synchronized')).toContain('"no/such:image"');
    expect(await eventsOf('vmi/imageless')).toMatch(/Warning +(ErrImagePull|ImagePullBackOff) .*"no\/such:image"/);
    expect(await kubectl('get pods -l vm.kubevirt.io/name=imageless')).toMatch(/0\/1 +ImagePullBackOff +0/);
  });

  it('a missing secret', async () => {
    const why = 'volume "settings": secrets "missing" not found';
    expect(await kubectl('get vm secretless')).toMatch(/secretless +\S+ +Starting +False/);
    expect(await conditionOf('secretless', 'Synchronized')).toBe(why);
    expect(await eventsOf('vmi/secretless')).toContain(why);
    expect(await kubectl('get pods -l vm.kubevirt.io/name=secretless')).toMatch(/0\/1 +CreateContainerConfigError +0/);
  });

  it('a missing claim', async () => {
    expect(await conditionOf('claimless', 'Synchronized')).toContain('PVC default/nowhere of volume "data"');
    expect(await eventsOf('vmi/claimless')).toMatch(/Warning +FailedPvcNotFound .*PVC default\/nowhere/);
  });

  it('a guest that crashes whenever it starts', async () => {
    // Once it is tried again at once; from then on it waits, and the longer it goes on, the longer.
    await kubectl.until('get vm crashing -o jsonpath={.status.startFailure.consecutiveFailCount}', /^([2-9]|\d\d)/);
    const { stdout } = await kubectl.run(
      "get vm crashing -o 'jsonpath={.status.startFailure.retryAfterTimestamp} {.metadata.creationTimestamp}'",
    );
    const [retryAfter = '', createdAt = ''] = stdout.split(' ');
    // Ten seconds at least, after it was created and ended twice.
    expect(Date.parse(retryAfter) - Date.parse(createdAt)).toBeGreaterThanOrEqual(10_000);
    expect(await eventsOf('vmi/crashing')).toMatch(/Warning +Stopped .*The VirtualMachineInstance crashed\./);
    await untilStatus('crashing', 'CrashLoopBackOff');
    await kubectl.do('wait vmi/crashing --for=delete --timeout=60s');
  }, 120_000);
});

describe('a VM starts once its trouble is over', () => {
  it('by the change that cures it, without waiting', async () => {
    const root = JSON.stringify({
      spec: { template: { spec: { volumes: [{ name: 'root', containerDisk: { image: 'test/obedient' } }] } } },
    });
    await kubectl.do(`patch vm crashing --type=merge -p '${root}'`);
    const node = (await kubectl('get nodes -o name')).trim();
    await kubectl.do(`label ${node} disk=none-such`);
    await kubectl.do('create secret generic missing --from-literal=userdata=#cloud-config');
    await untilStatus(['crashing', 'picky'], 'Running');
  }, 120_000);

  it('by a secret that appears', async () => {
    await untilStatus('secretless', 'Running');
  }, 120_000);

  it('and nothing is left when all are gone', clear, 120_000);
});
