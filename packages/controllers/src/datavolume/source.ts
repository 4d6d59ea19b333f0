import type { Persisted } from '@vireo/api';
import type { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { DataVolumeSourceSpec } from '@vireo/api/kinds/cdi/dataVolumeSource.ts';
import * as names from '@vireo/api/kinds/cdi/names.ts';

/** What is done to the claim of a DataVolume; its phases and events are named after it. */
export type Operation = 'import' | 'upload' | 'clone' | 'none';

/** The source of a DataVolume, looked up where it only names one; undefined while that does not exist. */
export function sourceOf(
  { metadata, spec }: Persisted<DataVolume>,
  dataSource: (key: string) => DataSource | undefined,
): DataVolumeSourceSpec | undefined {
  if (!spec.sourceRef) return spec.source;
  const { name, namespace = metadata.namespace } = spec.sourceRef;
  const found = dataSource(`${namespace}/${name}`);
  const next = found?.spec.source.dataSource;
  // A DataSource may stand for another of its namespace, and that one for data.
  const source = next ? dataSource(`${namespace}/${next.name}`)?.spec.source : found?.spec.source;
  return source && { pvc: source.pvc, snapshot: source.snapshot };
}

/** Annotations of the claim that tell a node what to fill it with. */
export function requestOf(source: DataVolumeSourceSpec | undefined): Record<string, string> {
  if (!source) return {};
  const { blank, http, s3, upload, pvc, snapshot, registry } = source;
  if (blank) return { [names.IMPORT_SOURCE]: 'none' };
  if (upload) return { [names.UPLOAD_TARGET]: '' };
  if (pvc) return { [names.CLONE_REQUEST]: `${pvc.namespace}/${pvc.name}` };
  if (snapshot) return { [names.SNAPSHOT_REQUEST]: `${snapshot.namespace}/${snapshot.name}` };
  const from = http ?? s3 ?? registry;
  if (!from) return {};
  return withoutUndefined({
    [names.IMPORT_SOURCE]: http ? 'http' : s3 ? 's3' : 'registry',
    [names.IMPORT_ENDPOINT]: from.url,
    [names.IMPORT_SECRET]: from.secretRef,
    [names.IMPORT_CERTIFICATES]: from.certConfigMap,
    [names.IMPORT_CHECKSUM]: http?.checksum,
    [names.IMPORT_ARCHITECTURE]: registry?.platform?.architecture,
    [names.IMPORT_PULL_METHOD]: registry?.pullMethod,
    ...numberKeys(names.IMPORT_HEADERS, http?.extraHeaders),
    ...numberKeys(names.IMPORT_SECRET_HEADERS, http?.secretExtraHeaders),
  });
}

const numberKeys = (prefix: string, values: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(values.map((value, index) => [`${prefix}.${index}`, value]));

const withoutUndefined = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** What the spec asks for, whether or not its source can be found now. */
export function operationOf({ spec }: Persisted<DataVolume>): Operation {
  if (spec.sourceRef || spec.source?.pvc || spec.source?.snapshot) return 'clone';
  if (spec.source?.upload) return 'upload';
  return spec.source ? 'import' : 'none';
}
