import { Secret } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Ground } from '../ground.ts';
import { until } from '../until.ts';
import type { Canaries } from './canaries.ts';

export const NAMESPACE = 'security-secrets';
const AT = { namespace: NAMESPACE };
const IMMEDIATE = { 'cdi.kubevirt.io/storage.bind.immediate.requested': '' };
const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } };

/** Puts secrets wherever users put them, and waits until they have been used: by a real guest, and in vain. */
export async function plant({ client }: Ground, canaries: Canaries): Promise<void> {
  const secret = (name: string, stringData: Record<string, string>, type = 'Opaque') =>
    client.of(Secret).create({ metadata: { name, ...AT }, type, stringData });
  const auth = Buffer.from(`robot:${canaries.of('password of a registry')}`).toString('base64');
  await secret('plain', { value: canaries.of('value of a Secret') });
  await secret('user-data', { userdata: canaries.of('userData in a Secret') });
  await secret('passwords', { vireo: canaries.of('password of a guest') });
  await secret('web', { accessKeyId: 'robot', secretKey: canaries.of('password of a web server') });
  await secret('header', { header: `X-Token: ${canaries.of('header for a web server')}` });
  await secret(
    'registry',
    { '.dockerconfigjson': JSON.stringify({ auths: { '127.0.0.1:1': { auth } } }) },
    'kubernetes.io/dockerconfigjson',
  );
  await vm(client, 'runs', 'vireo/boot-sector', canaries);
  await vm(client, 'cannot-pull', '127.0.0.1:1/private/disk:latest', canaries);
  await client.of(DataVolume).create({
    metadata: { name: 'import', ...AT, annotations: IMMEDIATE },
    spec: {
      source: {
        http: {
          url: `http://robot:${canaries.of('password in an address')}@127.0.0.1:1/disk.img`,
          secretExtraHeaders: ['header'],
          extraHeaders: [`Authorization: Bearer ${canaries.of('header in a manifest')}`],
        },
      },
      storage,
    },
  });
  await client.of(DataVolume).create({
    metadata: { name: 'import-with-secret', ...AT, annotations: IMMEDIATE },
    spec: { source: { http: { url: 'http://127.0.0.1:1/disk.img', secretRef: 'web' } }, storage },
  });
  await until('the VM with secrets to run', async () => {
    const { status } = await client.of(VirtualMachineInstance).get('runs', AT);
    return status?.phase === 'Running';
  });
  for (const name of ['import', 'import-with-secret'])
    await until(`${name} to be tried`, async () => {
      const { status } = await client.of(DataVolume).get(name, AT);
      return (status?.conditions ?? []).some(({ message }) => message?.includes('127.0.0.1') ?? false);
    });
  await until('an image to be asked for', async () => {
    const { status } = await client.of(VirtualMachineInstance).get('cannot-pull', AT);
    return JSON.stringify(status ?? {}).includes('127.0.0.1:1');
  });
}

const vm = (client: Ground['client'], name: string, image: string, canaries: Canaries) =>
  client.of(VirtualMachineInstance).create({
    metadata: { name, ...AT },
    spec: {
      domain: {
        memory: { guest: '64Mi' },
        devices: {
          disks: [
            { name: 'root', disk: { bus: 'virtio' } },
            { name: 'init', disk: { bus: 'virtio' } },
            { name: 'drive', disk: { bus: 'virtio' } },
            { name: 'plain', disk: { bus: 'virtio' } },
          ],
        },
      },
      accessCredentials: [
        {
          userPassword: { source: { secret: { secretName: 'passwords' } }, propagationMethod: { qemuGuestAgent: {} } },
        },
      ],
      volumes: [
        { name: 'root', containerDisk: { image, imagePullSecret: 'registry' } },
        {
          name: 'init',
          cloudInitNoCloud: {
            userData: `#cloud-config\npassword: ${canaries.of('userData of a VM')}\n`,
            networkData: `x: ${canaries.of('networkData of a VM')}`,
          },
        },
        { name: 'drive', cloudInitConfigDrive: { secretRef: { name: 'user-data' } } },
        { name: 'plain', secret: { secretName: 'plain' } },
      ],
    },
  });
