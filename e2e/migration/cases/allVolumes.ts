import { ConfigMap, Secret } from '@vireo/api';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Draft } from '@vireo/kube';
import { small } from '../guests.ts';
import type { Specs } from '../specs.ts';

/** A guest with a disk of every sort that is made for it, and what the disks are made of. */
export async function allVolumes({ client, namespace }: Specs): Promise<Draft<Vmi>> {
  await client
    .of(ConfigMap)
    .create({ metadata: { name: 'settings', namespace }, data: { config1: 'value1', config2: 'value2' } });
  const data = { user: Buffer.from('admin').toString('base64') };
  await client.of(Secret).create({ metadata: { name: 'secret', namespace }, data });
  const names = ['downward', 'account', 'secret', 'config', 'cloud'];
  return small('guest', {
    metadata: { labels: { downwardTestLabelKey: 'downwardTestLabelVal' } },
    disks: [
      ...names.map((name) => ({ name, disk: { bus: name === 'cloud' ? 'virtio' : 'sata' } })),
      { name: 'usb-disk', disk: { bus: 'usb' } },
    ],
    volumes: [
      {
        name: 'downward',
        downwardAPI: { fields: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] },
      },
      { name: 'account', serviceAccount: { serviceAccountName: 'default' } },
      { name: 'secret', secret: { secretName: 'secret' } },
      { name: 'config', configMap: { name: 'settings' } },
      { name: 'cloud', cloudInitNoCloud: { userData: '#!/bin/sh\necho hello\n' } },
      { name: 'usb-disk', emptyDisk: { capacity: '64Mi' } },
    ],
  });
}
