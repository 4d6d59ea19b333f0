import { mergeConditions, type PersistentVolumeClaim, timestamp } from '@vireo/api';
import type { DataSource, DataSourceStatus } from '@vireo/api/kinds/cdi/dataSource.ts';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';

type Source = NonNullable<DataSource['spec']['source']>;
type Readiness = readonly [status: 'True' | 'False', reason: string, message: string];

/** What DataSources are looked up in, by `namespace/name`. */
export interface Sources {
  claim(key: string): PersistentVolumeClaim | undefined;
  dataVolume(key: string): DataVolume | undefined;
  snapshot(key: string): VolumeSnapshot | undefined;
  dataSource(key: string): DataSource | undefined;
}

/** The status that a DataSource should have: what it stands for in the end, and whether that can be used. */
export function dataSourceStatus(dataSource: DataSource, sources: Sources, now: Date): DataSourceStatus {
  const { source, readiness } = resolve(dataSource, sources);
  const [status, reason, message] = readiness;
  const ready = { type: 'Ready', status, reason, message };
  const stamp = { lastHeartbeatTime: timestamp(now) };
  const conditions = mergeConditions(dataSource.status?.conditions, [ready], now, { stamp });
  return { ...(source && { source }), conditions };
}

function resolve({ metadata, spec }: DataSource, sources: Sources): { source?: Source; readiness: Readiness } {
  const { dataSource: next } = spec.source;
  if (!next) return { source: spec.source, readiness: readinessOf(spec.source, sources) };
  const refuse = (reason: string, message: string) => ({ readiness: ['False', reason, message] as const });
  if (next.namespace !== metadata.namespace)
    return refuse('CrossNamespaceReference', `DataSource ${next.namespace}/${next.name} is in another namespace`);
  if (next.name === metadata.name) return refuse('SelfReference', 'the DataSource references itself');
  const found = sources.dataSource(`${next.namespace}/${next.name}`);
  if (!found) return refuse('NotFound', `DataSource ${next.namespace}/${next.name} does not exist`);
  if (found.spec.source.dataSource)
    return refuse('MaxReferenceDepthReached', `DataSource ${next.name} references another DataSource`);
  return { source: found.spec.source, readiness: readinessOf(found.spec.source, sources) };
}

function readinessOf({ pvc, snapshot }: Source, sources: Sources): Readiness {
  if (pvc) {
    const key = `${pvc.namespace}/${pvc.name}`;
    const phase = sources.dataVolume(key)?.status?.phase;
    if (phase && phase !== 'Succeeded') return ['False', phase, `DataVolume ${key} is ${phase}`];
    const claim = sources.claim(key);
    if (!claim) return ['False', 'NotFound', `PersistentVolumeClaim ${key} does not exist`];
    if (waitsForData(claim)) return ['False', 'NotFound', `PersistentVolumeClaim ${key} is not populated yet`];
    return ['True', 'Ready', 'DataSource is ready to be consumed'];
  }
  if (!snapshot) return ['False', 'NoSource', 'the DataSource has no source'];
  const key = `${snapshot.namespace}/${snapshot.name}`;
  const found = sources.snapshot(key);
  if (!found) return ['False', 'NotFound', `VolumeSnapshot ${key} does not exist`];
  if (!found.status?.readyToUse) return ['False', 'SnapshotNotReady', `VolumeSnapshot ${key} is not ready to use`];
  return ['True', 'Ready', 'DataSource is ready to be consumed'];
}
