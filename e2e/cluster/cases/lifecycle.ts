import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { describe, expect, it, vi } from 'vitest';
import { vm } from '../../vms/manifests.ts';
import { IN_ORDER, stepsOn, TIMEOUT, type UseCluster } from '../fixture.ts';

/** A guest that does not hear its power button stops after this time, and so is stopping when the kill comes. */
const GRACE_SECONDS = 2;

/** Create, stop, start and restart of one VM. */
export function lifecycleCases(cluster: UseCluster): void {
  const { untilStatus, inTheMiddle, act } = stepsOn(cluster);
  const launchers = '-l kubevirt.io=virt-launcher,vm.kubevirt.io/name=web';
  const uidOf = async (name: string): Promise<string> =>
    (await cluster().kubectl.run(`get vmi ${name} -o jsonpath={.metadata.uid}`)).stdout;

  describe.concurrent('a VM on a cluster', () => {
    it('is created, and runs on a node that the scheduler chose', IN_ORDER, async () => {
      const { kubectl, client } = cluster();
      const web = JSON.parse(vm('web', { guest: 'deaf', graceSeconds: GRACE_SECONDS }));
      web.metadata.namespace = 'default';
      await inTheMiddle(() => client.of(VirtualMachine).create(web), {
        done: /already exists/,
      });
      await untilStatus('web', 'Running');
      const node = await kubectl('get vmi web -o jsonpath={.status.nodeName}');
      expect(node).toMatch(/^node-\d$/);
      expect(await kubectl(`get pods ${launchers} -o jsonpath={.items[*].spec.nodeName}`)).toBe(node);
      const pod = await kubectl(`get pods ${launchers} -o jsonpath={.items[*].metadata.name}`);
      const scheduled = `get events --field-selector reason=Scheduled,involvedObject.name=${pod} -o name`;
      await kubectl.until(scheduled, /^event\//);
    });

    it('is stopped', IN_ORDER, async () => {
      await inTheMiddle(() => act('web', 'stop'), { done: /not running/i });
      await untilStatus('web', 'Stopped');
    });

    it('is started', IN_ORDER, async () => {
      await inTheMiddle(() => act('web', 'start'), { done: /already running/i });
      await untilStatus('web', 'Running');
    });

    it('is restarted as another instance', IN_ORDER, async () => {
      const before = await uidOf('web');
      await inTheMiddle(() => act('web', 'restart'));
      await vi.waitFor(async () => expect(await uidOf('web')).toMatch(new RegExp(`^(?!${before})[0-9a-f-]{36}$`)), {
        timeout: 120_000,
        interval: 500,
      });
      await cluster().kubectl.do(`wait vmi/web --for=jsonpath={.status.phase}=Running ${TIMEOUT}`);
    });
  });
}
