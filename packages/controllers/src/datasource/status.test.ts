import type { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { UPLOAD_TARGET } from '@vireo/api/kinds/cdi/names.ts';
import { expect, it } from 'vitest';
import { dataSourceStatus, type Sources } from './status.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const meta = (name: string) => ({ metadata: { name, namespace: 'os' } });

const of = (source: DataSource['spec']['source'], name = 'linux'): DataSource => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataSource',
  ...meta(name),
  spec: { source },
});
const pvc = (name: string) => ({ pvc: { namespace: 'os', name } });
const snapshot = (name: string) => ({ snapshot: { namespace: 'os', name } });
const another = (name: string, namespace = 'os') => ({ dataSource: { namespace, name } });

const SOURCES: Sources = {
  claim: (key) => {
    const annotations = key === 'os/waiting' ? { [UPLOAD_TARGET]: '' } : {};
    if (!['os/disk', 'os/waiting', 'os/filling'].includes(key)) return undefined;
    return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { annotations } };
  },
  dataVolume: (key) =>
    key === 'os/filling'
      ? { apiVersion: 'x', kind: 'DataVolume', metadata: {}, spec: {}, status: { phase: 'ImportInProgress' } }
      : undefined,
  snapshot: (key) =>
    key === 'os/lost'
      ? undefined
      : {
          apiVersion: 'x',
          kind: 'VolumeSnapshot',
          metadata: {},
          spec: { source: {} },
          status: { readyToUse: key === 'os/ready' },
        },
  dataSource: (key) => (key === 'os/inner' ? of(pvc('disk')) : key === 'os/deep' ? of(another('inner')) : undefined),
};

it.each<[string, string, DataSource['spec']['source']]>([
  ['True', 'Ready', pvc('disk')],
  ['False', 'NotFound', pvc('lost')],
  ['False', 'NotFound', pvc('waiting')],
  ['False', 'ImportInProgress', pvc('filling')],
  ['True', 'Ready', snapshot('ready')],
  ['False', 'SnapshotNotReady', snapshot('early')],
  ['False', 'NotFound', snapshot('lost')],
  ['False', 'NoSource', {}],
  ['True', 'Ready', another('inner')],
  ['False', 'NotFound', another('lost')],
  ['False', 'SelfReference', another('linux')],
  ['False', 'CrossNamespaceReference', another('inner', 'elsewhere')],
  ['False', 'MaxReferenceDepthReached', another('deep')],
])('Ready is %s, %s, of %j', (status, reason, source) => {
  expect(dataSourceStatus(of(source), SOURCES, NOW).conditions).toMatchObject([{ type: 'Ready', status, reason }]);
});

it('a DataSource that refers to another has its source, and is not written again', () => {
  const first = dataSourceStatus(of(another('inner')), SOURCES, NOW);
  expect(first.source).toEqual(pvc('disk'));
  const again = dataSourceStatus({ ...of(another('inner')), status: first }, SOURCES, new Date(0));
  expect(again).toEqual(first);
});
