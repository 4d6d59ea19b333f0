import { describe, expect, it } from 'vitest';
import { vm } from '../../vms/manifests.ts';
import { IN_ORDER, stepsOn, TIMEOUT, type UseCluster } from '../fixture.ts';
import { retried } from '../kills.ts';

const blank = (name: string): string =>
  JSON.stringify({
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name },
    spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '16Mi' } } } },
  });

const keeper = vm('keeper', { root: { dataVolume: { name: 'keeper-root' } }, graceSeconds: 0 });

const SNAPSHOTS = '/apis/snapshot.kubevirt.io/v1beta1/namespaces/default/virtualmachinesnapshots';
const CLONES = '/apis/clone.kubevirt.io/v1beta1/namespaces/default/virtualmachineclones';

const snapshot = {
  apiVersion: 'snapshot.kubevirt.io/v1beta1',
  kind: 'VirtualMachineSnapshot',
  metadata: { name: 'before' },
  spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'keeper' } },
};
const clone = {
  apiVersion: 'clone.kubevirt.io/v1beta1',
  kind: 'VirtualMachineClone',
  metadata: { name: 'twin' },
  spec: {
    source: { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 'before' },
    target: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'twin' },
  },
};

/** Disks of a VM: plugged in, unplugged, kept in a snapshot and cloned. */
export function volumeCases(cluster: UseCluster): void {
  const { create, untilStatus, inTheMiddle, act } = stepsOn(cluster);
  const volumes = 'get vmi keeper -o "jsonpath={range .status.volumeStatus[*]}{.name}={.phase} {end}"';
  const post = (path: string, body: object) => (): Promise<unknown> =>
    cluster().client.call({ method: 'POST', path, body });

  describe.concurrent('the volumes of a VM on a cluster', () => {
    it('are added while it runs, and Kubernetes protects the claim meanwhile', IN_ORDER, async () => {
      const { kubectl } = cluster();
      await create(blank('keeper-root'), blank('extra'), keeper);
      await untilStatus('keeper', 'Running');
      await kubectl.until('get dv extra -o jsonpath={.status.phase}', 'Succeeded');
      const body = {
        name: 'extra',
        disk: { disk: { bus: 'scsi' }, serial: 'extra' },
        volumeSource: { dataVolume: { name: 'extra', hotpluggable: true } },
      };
      await inTheMiddle(() => act('keeper', 'addvolume', body), { done: /already exists/ });
      await kubectl.until(volumes, /^(?=.*root=).*extra=Ready/);
      await kubectl.do('delete dv extra --wait=false --cascade=orphan');
      await kubectl.do('delete pvc extra --wait=false');
      await kubectl.until('describe pvc extra', /Terminating/);
      const finalizers = await kubectl('get pvc extra -o jsonpath={.metadata.finalizers}');
      expect(finalizers).toContain('kubernetes.io/pvc-protection');
      expect(await kubectl('describe pvc extra')).toMatch(/Used By: +hp-volume-/);
    });

    it('are removed while it runs, and only then does the claim go', IN_ORDER, async () => {
      const { kubectl } = cluster();
      await inTheMiddle(() => act('keeper', 'removevolume', { name: 'extra' }), {
        done: /not found|not exist|no volume/i,
      });
      await kubectl.until(volumes, /^(?!.*extra=).*root=/);
      await kubectl.do(`wait pvc/extra --for=delete ${TIMEOUT}`);
    });

    it('are kept in a snapshot', IN_ORDER, async () => {
      await inTheMiddle(post(SNAPSHOTS, snapshot), { done: /already exists/ });
      await cluster().kubectl.do(`wait vmsnapshot/before --for=condition=Ready ${TIMEOUT}`);
    });

    it('are cloned to a VM that runs', IN_ORDER, async () => {
      await inTheMiddle(post(CLONES, clone), { done: /already exists/ });
      await cluster().kubectl.do(`wait vmclone/twin --for=jsonpath={.status.phase}=Succeeded ${TIMEOUT}`);
      // It runs by itself where the source does.
      await retried(async () =>
        expect(await cluster().vireo('start twin')).toMatch(/scheduled to start|already running|manual start/),
      );
      await untilStatus('twin', 'Running');
    });
  });
}
