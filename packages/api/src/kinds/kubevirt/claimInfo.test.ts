import { expect, it } from 'vitest';
import type { PersistentVolumeClaim } from '../core/persistentVolumeClaim.ts';
import { claimInfo } from './claimInfo.ts';

const claim = (spec: object, annotations = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', annotations },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  status: { phase: 'Bound', capacity: { storage: '2Gi' } },
});

it('a VMI says all that KubeVirt says of a claim', () => {
  const overhead = { global: '0.06', storageClass: { local: '0' } };
  const known = {
    claimName: 'data',
    accessModes: ['ReadWriteOnce'],
    requests: { storage: '1Gi' },
    capacity: { storage: '2Gi' },
  };
  expect(claimInfo(claim({ storageClassName: 'nfs' }), overhead)).toEqual({
    ...known,
    volumeMode: 'Filesystem',
    filesystemOverhead: '0.06',
  });
  expect(claimInfo(claim({ storageClassName: 'local' }), overhead)).toMatchObject({ filesystemOverhead: '0' });
  const block = claim({ volumeMode: 'Block' }, { 'cdi.kubevirt.io/storage.preallocation': 'true' });
  expect(claimInfo(block, overhead)).toEqual({
    ...known,
    volumeMode: 'Block',
    filesystemOverhead: '0',
    preallocated: true,
  });
});
