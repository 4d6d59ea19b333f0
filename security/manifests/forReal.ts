import type { KubeObject } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Ground } from '../ground.ts';
import type { Trial } from '../part.ts';
import { until } from '../until.ts';
import { NAMESPACE } from './seeds.ts';
import { hostileTexts } from './texts.ts';

/** Of a real VM and a real import: all texts at once where people may write what they like. */
export async function forReal({ client }: Ground, marker: string, trial: Trial): Promise<void> {
  const texts = hostileTexts(marker).filter(
    ({ label }) => label !== 'NUL' && label !== 'a terminal' && label !== 'much',
  );
  const everything = texts.map(({ text }) => text).join(' ');
  const oneLine = everything.replaceAll(/[\r\n]+/g, ' ');
  const vmis = client.of(VirtualMachineInstance);
  const at = { namespace: NAMESPACE };
  await vmis.create({
    metadata: { name: 'hostile', ...at, annotations: { note: everything } },
    spec: {
      domain: {
        memory: { guest: '64Mi' },
        chassis: { manufacturer: oneLine, asset: oneLine },
        devices: {
          disks: [
            { name: 'root', disk: { bus: 'virtio' } },
            { name: 'init', disk: { bus: 'virtio' } },
          ],
        },
      },
      volumes: [
        { name: 'root', containerDisk: { image: 'vireo/boot-sector' } },
        { name: 'init', cloudInitNoCloud: { userData: everything, networkData: everything } },
      ],
    },
  });
  const volumes = client.of(DataVolume);
  await volumes.create({
    metadata: { name: 'hostile', ...at, annotations: { 'cdi.kubevirt.io/storage.bind.immediate.requested': '' } },
    spec: {
      source: { http: { url: `http://127.0.0.1:1/${encodeURIComponent(oneLine)}?${encodeURIComponent(oneLine)}` } },
      storage: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    },
  });
  await until('the hostile VM to run', async () => {
    const { status } = await vmis.get('hostile', at);
    if (status?.phase === 'Failed') throw new Error(`the hostile VM failed: ${JSON.stringify(status.conditions)}`);
    return status?.phase === 'Running';
  });
  trial.check(undefined);
  await until('the hostile import to be tried', async () => {
    const found: KubeObject & { status?: { conditions?: readonly { reason?: string }[] } } = await volumes.get(
      'hostile',
      at,
    );
    return (found.status?.conditions ?? []).some(
      ({ reason }) => reason !== undefined && reason !== '' && reason !== 'Pending',
    );
  });
  trial.check(undefined);
  await vmis.delete('hostile', at);
  await volumes.delete('hostile', at);
}
