import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { expect, it } from 'vitest';
import { dataVolumeErrors } from './dataVolumeSpec.ts';

const storage = { resources: { requests: { storage: '1Gi' } } };
const pvc = { ...storage, accessModes: ['ReadWriteOnce'] };
const source = { blank: {} };
const copied = { pvc: { namespace: 'shop', name: 'golden' } };
const reference = { apiGroup: 'x', kind: 'Y', name: 'z' };

it.each<[string, DataVolume['spec'], string | undefined]>([
  ['a blank disk', { source, storage }, undefined],
  ['a claim as it is', { source, pvc }, undefined],
  ['a copy without a size', { source: copied, storage: {} }, undefined],
  ['a DataSource', { sourceRef: { kind: 'DataSource', name: 'linux' }, storage: {} }, undefined],
  ['another populator', { storage: { ...storage, dataSourceRef: reference } }, undefined],
  ['an address', { source: { http: { url: 'https://example.com/a.qcow2' } }, storage }, undefined],
  ['no source', { storage }, 'DataVolume should have either Source or SourceRef, or be externally populated'],
  [
    'both',
    { source, sourceRef: { kind: 'DataSource', name: 'x' }, storage },
    'DataVolume should have either Source or SourceRef, not both',
  ],
  [
    'two populators',
    { source, storage: { ...storage, dataSourceRef: reference } },
    'External population is incompatible',
  ],
  ['an empty source', { source: {}, storage }, 'Missing dataVolume source'],
  ['two sources', { source: { blank: {}, upload: {} }, storage }, 'Multiple dataVolume sources'],
  [
    'an unread source',
    { source: { gcs: { url: 'gs://b/k' } }, storage },
    'spec.source.gcs: Vireo does not support the source gcs: it has no client of Google Cloud Storage',
  ],
  ['an object of S3', { source: { s3: { url: 'https://s3.example.com/images/a/disk.qcow2' } }, storage }, undefined],
  [
    'no object of S3',
    { source: { s3: { url: 'https://s3.example.com/images' } }, storage },
    'its path must be /BUCKET/OBJECT',
  ],
  [
    'a bucket without a server',
    { source: { s3: { url: 's3://b/k' } }, storage },
    '"s3://b/k" is not an http or https URL',
  ],
  [
    'a file',
    { source: { http: { url: 'file:///etc/passwd' } }, storage },
    '"file:///etc/passwd" is not an http or https URL',
  ],
  [
    'an image',
    { source: { registry: { url: 'docker://registry.example/disk:1', pullMethod: 'node' } }, storage },
    undefined,
  ],
  ['an image stream', { source: { registry: { imageStream: 'x' } }, storage }, 'Vireo has no image streams'],
  [
    'an archive of the node',
    { source: { registry: { url: 'oci-archive:///etc/shadow' } }, storage },
    '"oci-archive:///etc/shadow" is not docker:// followed by an image reference',
  ],
  [
    'an image that nobody pulls',
    { source: { registry: { url: 'docker://a', pullMethod: 'cat' } }, storage },
    'spec.source.registry.pullMethod: "cat" is neither pod nor node',
  ],
  ['another kind of reference', { sourceRef: { kind: 'Pod', name: 'x' }, storage }, 'Unsupported sourceRef kind Pod'],
  ['an archive', { source, storage, contentType: 'archive' }, 'spec.contentType: Vireo does not unpack archives'],
  ['nonsense as content', { source, storage, contentType: 'x' }, 'ContentType not one of'],
  ['no claim', { source }, 'Missing Data volume PVC or Storage'],
  ['two claims', { source, storage, pvc }, 'Duplicate storage definition'],
  ['no size', { source, storage: {} }, 'PVC size is missing'],
  [
    'hardly any size',
    { source, storage: { resources: { requests: { storage: '1k' } } } },
    'PVC size 1k is less than 1Mi',
  ],
  ['no access mode', { source, pvc: storage }, 'exactly one access mode is required'],
])('%s: %3$s', (_, spec, message) => {
  const errors = dataVolumeErrors(spec, 'spec').map(({ text }) => text);
  if (message === undefined) expect(errors).toEqual([]);
  else expect(errors.join('\n')).toContain(message);
});
