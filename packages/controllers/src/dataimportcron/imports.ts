import type { Persisted } from '@vireo/api';
import type { DataImportCron } from '@vireo/api/kinds/cdi/dataImportCron.ts';
import type { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { DESIRED_DIGEST, IMPORT_CRON_LABEL, isDigest } from '@vireo/api/kinds/cdi/importCron.ts';
import { BIND_IMMEDIATE } from '@vireo/api/kinds/cdi/names.ts';
import type { Draft } from '@vireo/kube';

const SHORT_DIGEST = 12;
const DEFAULT_KEPT = 3;
/** Labels that say what VMs of the image are like; whoever makes a VM of a DataSource looks there. */
const INSTANCETYPE_LABELS = 'instancetype.kubevirt.io/default-';

/** The digest that the image has now; undefined while nobody knows. */
export const digestOf = ({ metadata }: DataImportCron): string | undefined => {
  const digest = metadata.annotations?.[DESIRED_DIGEST];
  return isDigest(digest) ? digest : undefined;
};

/** The name of the DataVolume of an image with that digest: that of the DataSource, as in CDI, and a part of the digest. */
export const importName = ({ spec }: DataImportCron, digest: string): string =>
  `${spec.managedDataSource}-${digest.split(':')[1]?.slice(0, SHORT_DIGEST)}`;

/** The name of an image with exactly that content. */
const pinned = (url: string, digest: string): string => {
  const [name = ''] = url.split('@');
  return `${name.replace(/:[^/:]+$/, '')}@${digest}`;
};

const ownLabels = ({ metadata }: DataImportCron): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => key.startsWith(INSTANCETYPE_LABELS))),
  [IMPORT_CRON_LABEL]: metadata.name ?? '',
});

/** The DataVolume that imports the image with that digest, and has all else of the template. */
export function importOf(cron: Persisted<DataImportCron>, digest: string): Draft<DataVolume> {
  const { metadata = {}, spec } = cron.spec.template;
  const registry = { ...spec.source?.registry, url: pinned(spec.source?.registry?.url ?? '', digest) };
  const immediate = cron.metadata.annotations?.[BIND_IMMEDIATE];
  return {
    metadata: {
      name: importName(cron, digest),
      namespace: cron.metadata.namespace,
      labels: { ...metadata.labels, ...ownLabels(cron) },
      annotations: { ...metadata.annotations, ...(immediate !== undefined && { [BIND_IMMEDIATE]: immediate }) },
    },
    spec: { ...spec, source: { registry } },
  };
}

/** The DataSource as it is made first: it stands for nothing until an import has succeeded. */
export const dataSourceOf = (cron: Persisted<DataImportCron>): Draft<DataSource> => ({
  metadata: { name: cron.spec.managedDataSource, namespace: cron.metadata.namespace, labels: ownLabels(cron) },
  spec: { source: {} },
});

/** A merge patch of a DataSource. */
export type DataSourceChange = {
  readonly metadata: { readonly labels: object };
  readonly spec?: { readonly source: object };
};

/** What has to change of the DataSource, so that it stands for the import; undefined: nothing. */
export function dataSourceChange(
  cron: Persisted<DataImportCron>,
  dataSource: DataSource,
  imported: string | undefined,
): DataSourceChange | undefined {
  const { pvc } = dataSource.spec.source;
  const { namespace } = cron.metadata;
  const isRight = imported === undefined || (pvc?.name === imported && pvc.namespace === namespace);
  const labels = ownLabels(cron);
  const isLabelled = Object.entries(labels).every(([key, value]) => dataSource.metadata.labels?.[key] === value);
  if (isRight && isLabelled) return undefined;
  const source = { pvc: { namespace, name: imported }, snapshot: null, dataSource: null };
  return { metadata: { labels }, ...(!isRight && { spec: { source } }) };
}

/** The imports that are too many, the oldest; `current` stays whatever its age. */
export function outdatedImports(
  { spec }: DataImportCron,
  imports: readonly Persisted<DataVolume>[],
  current: string,
): Persisted<DataVolume>[] {
  if (spec.garbageCollect === 'Never') return [];
  const age = ({ metadata }: Persisted<DataVolume>): number => Date.parse(metadata.creationTimestamp);
  const others = imports.filter(({ metadata }) => metadata.name !== current).sort((a, b) => age(b) - age(a));
  return others.slice(Math.max(0, (spec.importsToKeep ?? DEFAULT_KEPT) - 1));
}
