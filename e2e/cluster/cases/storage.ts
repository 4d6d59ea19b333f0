import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { disc } from '../../vms/discs.ts';
import { vm } from '../../vms/manifests.ts';
import { stepsOn, TIMEOUT, type UseCluster } from '../fixture.ts';

const MIB = 1 << 20;

const blank = (name: string): string =>
  JSON.stringify({
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name },
    spec: { source: { blank: {} }, storage: { resources: { requests: { storage: '16Mi' } } } },
  });

const keeper = vm('keeper', {
  root: { dataVolume: { name: 'keeper-root' } },
  devices: {
    disks: [
      { name: 'root', disk: { bus: 'virtio' } },
      { name: 'cd', cdrom: { bus: 'sata' } },
    ],
  },
});

/** Disks: uploads, hot-plugged volumes, discs, snapshots, clones and exports. */
export function storageCases(cluster: UseCluster): void {
  const { create, untilStatus, amidKills, run, retried } = stepsOn(cluster);
  const direct = (): string => cluster().directOptions ?? '';
  const file = (name: string): string => join(cluster().directory, name);
  const volumes = (name: string): string =>
    `get vmi ${name} -o "jsonpath={range .status.volumeStatus[*]}{.name}={.phase} {end}"`;
  const until = (command: string, wanted: RegExp): Promise<void> => cluster().kubectl.until(command, wanted);

  describe('disks on a cluster', () => {
    it('are uploaded', async () => {
      await writeFile(file('hello.iso'), disc('hello from a disc'));
      await amidKills(
        `image-upload dv hello --size 1Mi --image-path ${file('hello.iso')} ${direct()}`,
        /already successfully|already populated/i,
      );
      await until('get dv hello -o jsonpath={.status.phase}', /^Succeeded$/);
    });

    it('a VM starts from one', async () => {
      await create(blank('keeper-root'), blank('extra'), keeper);
      await untilStatus('keeper', 'Running');
    });

    it('are added to a running VM, and Kubernetes protects the claim meanwhile', async () => {
      const { kubectl } = cluster();
      await amidKills('addvolume keeper --volume-name extra', /already exists/);
      await until(volumes('keeper'), /extra=Ready/);
      await kubectl.do('delete dv extra --wait=false --cascade=orphan');
      await kubectl.do('delete pvc extra --wait=false');
      await until('describe pvc extra', /Terminating/);
      const pods = await kubectl('get pvc extra -o jsonpath={.metadata.finalizers}');
      expect(pods).toContain('kubernetes.io/pvc-protection');
      expect(await kubectl('describe pvc extra')).toMatch(/Used By: +hp-volume-/);
    });

    it('are removed again, and only then does the claim go', async () => {
      await amidKills('removevolume keeper --volume-name extra', /not found|does not exist|no volume/i);
      await until(volumes('keeper'), /^(?!.*extra=)/);
      await cluster().kubectl.do(`wait pvc/extra --for=delete ${TIMEOUT}`);
    });

    it('are inserted as discs, and ejected', async () => {
      await amidKills('cdrom inject keeper --volume-name cd --claim-name hello --wait', /is not empty: hello is in it/);
      await until(volumes('keeper'), /cd=Ready/);
      await amidKills('cdrom eject keeper --volume-name cd --wait', /is empty/);
      await until(volumes('keeper'), /^(?!.*cd=Ready)/);
    });

    it('are kept in snapshots, and cloned', async () => {
      await amidKills('snapshot create keeper before', /already exists/);
      await cluster().kubectl.do(`wait vmsnapshot/before --for=condition=Ready ${TIMEOUT}`);
      const clone = {
        apiVersion: 'clone.kubevirt.io/v1beta1',
        kind: 'VirtualMachineClone',
        metadata: { name: 'twin' },
        spec: {
          source: { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 'before' },
          target: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'twin' },
        },
      };
      await create(JSON.stringify(clone));
      await Promise.all([cluster().killLeader(), cluster().killExtension()]);
      await cluster().kubectl.do(`wait vmclone/twin --for=jsonpath={.status.phase}=Succeeded ${TIMEOUT}`);
      // It runs by itself where the source does.
      await retried(async () => expect(await cluster().vireo('start twin')).toMatch(/scheduled to start|manual start/));
      await untilStatus('twin', 'Running');
    });

    it('are exported as they were uploaded', async () => {
      const output = file('hello.img.gz');
      await amidKills(`vmexport download copy --pvc=hello --output=${output} --keep-vme ${direct()}`);
      const original = await readFile(file('hello.iso'));
      const exported = gunzipSync(await readFile(output));
      expect(exported.length).toBe(MIB);
      expect(exported.subarray(0, original.length).equals(original)).toBe(true);
      await retried(() => run('vmexport delete copy'));
    });
  });
}
