import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { disc } from '../../vms/discs.ts';
import { vm } from '../../vms/manifests.ts';
import { IN_ORDER, stepsOn, type UseCluster } from '../fixture.ts';
import { retried } from '../kills.ts';
import { halfUpload } from '../upload.ts';

const MIB = 1 << 20;

const target = JSON.stringify({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataVolume',
  metadata: { name: 'hello' },
  spec: { source: { upload: {} }, storage: { resources: { requests: { storage: '1Mi' } } } },
});

const player = vm('player', {
  guest: 'boot-sector',
  devices: {
    disks: [
      { name: 'root', disk: { bus: 'virtio' } },
      { name: 'cd', cdrom: { bus: 'sata' } },
    ],
  },
});

/** A disc: uploaded, inserted, ejected and exported. */
export function discCases(cluster: UseCluster): void {
  const { create, untilStatus, inTheMiddle, act, run } = stepsOn(cluster);
  const file = (name: string): string => join(cluster().directory, name);
  const inDrive = 'get vmi player -o "jsonpath={range .status.volumeStatus[*]}{.name}={.phase} {end}"';

  describe.concurrent('a disc on a cluster', () => {
    it('is uploaded, also after an upload that broke off half-way', IN_ORDER, async () => {
      const { kubectl, client, uploadUrl } = cluster();
      await writeFile(file('hello.iso'), disc('hello from a disc'));
      await create(target, player);
      await kubectl.until('get dv hello -o jsonpath={.status.phase}', 'UploadReady');
      const upload = await retried(() => halfUpload(client, uploadUrl, 'hello'));
      // The kill comes while the upload is under way: half of the time, that of the extension which takes it.
      await inTheMiddle(async () => {});
      upload.breakOff();
      const words = `image-upload dv hello --no-create --image-path ${file('hello.iso')}`;
      // The extension may die after it has taken all of it, before its answer is there.
      await retried(() => run(words)).catch((error: Error) => expect(error.message).toMatch(/already successfully/));
      await kubectl.until('get dv hello -o jsonpath={.status.phase}', 'Succeeded');
    });

    it('is inserted into the drive of a running VM', IN_ORDER, async () => {
      await untilStatus('player', 'Running');
      const volumeSource = { dataVolume: { name: 'hello', hotpluggable: true } };
      await inTheMiddle(() => act('player', 'addvolume', { name: 'cd', volumeSource }), { done: /not empty|already/ });
      await cluster().kubectl.until(inDrive, /root=.*cd=Ready|cd=Ready.*root=/);
    });

    it('is ejected', IN_ORDER, async () => {
      const body = { name: 'cd', diskRetentionPolicy: 'keep' };
      await inTheMiddle(() => act('player', 'removevolume', body), { done: /is empty|does not exist/ });
      await cluster().kubectl.until(inDrive, /^(?!.*cd=Ready).*root=/);
    });

    it('is exported as it was uploaded', IN_ORDER, async () => {
      const output = file('hello.img.gz');
      const { kubectl } = cluster();
      await inTheMiddle(() => run(`vmexport download copy --pvc=hello --output=${output} --keep-vme`), {
        begun: () => kubectl.until('get vmexport copy -o name', /copy$/),
      });
      const original = await readFile(file('hello.iso'));
      const exported = gunzipSync(await readFile(output));
      expect(exported.length).toBe(MIB);
      expect(exported.subarray(0, original.length).equals(original)).toBe(true);
      await retried(() => run('vmexport delete copy'));
    });
  });
}
