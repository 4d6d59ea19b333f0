import type { Volume } from '@vireo/api';
import { expect, test } from 'vitest';
import { texts } from '../../testing/strategies.ts';
import { validateVolumes } from './volumes.ts';

test.each<[string, Omit<Volume, 'name'>, string[]]>([
  ['an empty directory', { emptyDir: { sizeLimit: '1Gi' } }, []],
  [
    'a negative size',
    { emptyDir: { sizeLimit: '-1' } },
    ['v[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity'],
  ],
  ['a secret without name', { secret: {} }, ['v[0].secret.secretName: Required value']],
  ['a config map without name', { configMap: {} }, ['v[0].configMap.name: Required value']],
  [
    'a claim without name',
    { persistentVolumeClaim: { claimName: '' } },
    ['v[0].persistentVolumeClaim.claimName: Required value'],
  ],
  [
    'files outside the volume, and modes that are none',
    { secret: { secretName: 's', defaultMode: 0o1000, items: [{ key: 'k', path: '/etc/../x' }] } },
    [
      'v[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive',
      'v[0].secret.items[0].path: Invalid value: "/etc/../x": must be a relative path',
      'v[0].secret.items[0].path: Invalid value: "/etc/../x": must not contain \'..\'',
    ],
  ],
  [
    'a token that lives too short',
    { projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 60 } }] } },
    [
      'v[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
    ],
  ],
  [
    'a share by a relative path',
    { nfs: { server: 'nas', path: 'export' } },
    ['v[0].nfs.path: Invalid value: "export": must be an absolute path'],
  ],
  [
    'a claim template without anything to claim',
    { ephemeral: { volumeClaimTemplate: { spec: {} } } },
    [
      'v[0].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required',
      'v[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value',
    ],
  ],
  [
    'an unknown type of host path',
    { hostPath: { path: '/dev/kvm', type: 'Device' } },
    [
      'v[0].hostPath.type: Unsupported value: "Device": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
    ],
  ],
])('%s', (_, source, expected) => {
  expect(texts(validateVolumes([{ name: 'x', ...source }], 'v'))).toEqual(expected);
});
