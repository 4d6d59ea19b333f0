import { expect, it } from 'vitest';
import { BACKUP_OBJECTS, type BackupObjectsField } from './backupObjects.ts';
import { SSH_NAMES } from './names.ts';

const domain = { devices: {} };
const secret = { secret: { secretName: 'password' } };

it.each<[what: string, field: BackupObjectsField, part: object, names: readonly string[]]>([
  [
    'every volume that names a Secret',
    'secrets',
    {
      volumes: [
        { name: 'a', secret: { secretName: 'keys' } },
        { name: 'b', cloudInitNoCloud: { secretRef: { name: 'user' }, networkDataSecretRef: { name: 'network' } } },
        { name: 'c', cloudInitConfigDrive: { secretRef: { name: 'user' } } },
        { name: 'd', sysprep: { secret: { name: 'answers' } } },
      ],
    },
    ['keys', 'user', 'network', 'answers'],
  ],
  ['access credentials', 'secrets', { accessCredentials: [{ userPassword: { source: secret } }] }, ['password']],
  [
    'every volume that names a ConfigMap, but for the one that each cluster has',
    'configMaps',
    {
      volumes: [
        { name: 'a', configMap: { name: 'settings' } },
        { name: 'b', sysprep: { configMap: { name: 'answers' } } },
        { name: 'c', configMap: { name: 'settings', optional: true } },
        { name: 'd', configMap: { name: 'kube-root-ca.crt' } },
        { name: 'e', serviceAccount: { serviceAccountName: 'default' } },
      ],
    },
    ['settings', 'answers'],
  ],
])('finds %s', (_, field, part, names) => {
  expect(BACKUP_OBJECTS[field].namesIn({ spec: { domain, ...part } }, 'shop')).toEqual(names);
});

it.each([
  ['["shop/jane","john","others/mary"]', ['jane', 'john']],
  ['[]', []],
  ['nonsense', []],
])('finds the KeyPairs of the namespace in %s', (value, names) => {
  const template = { metadata: { annotations: { [SSH_NAMES]: value } }, spec: { domain } };
  expect(BACKUP_OBJECTS.keyPairs.namesIn(template, 'shop')).toEqual(names);
});
