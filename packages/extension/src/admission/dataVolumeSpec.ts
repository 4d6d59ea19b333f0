import { type FieldError, fieldError } from '@vireo/api';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { NO_ARCHIVES } from '@vireo/api/kinds/cdi/names.ts';
import { compareQuantities } from '@vireo/api/quantity.ts';

type Spec = DataVolume['spec'];
type Registry = NonNullable<NonNullable<Spec['source']>['registry']>;

/** Sources that nothing here can read: what is missing for that, and what works instead. */
const NOT_READ = {
  gcs: 'it has no client of Google Cloud Storage; use http with a signed URL',
  imageio: 'that takes an oVirt engine and its imageio service; download the disk from there, and upload it',
  vddk: "that takes VMware's VDDK, a proprietary library which may not come with Vireo, and a vCenter or ESXi host; export the disk from there, and upload it",
} as const;

/** What is wrong with a DataVolume, whoever writes it; `path` is that of its spec. */
export function dataVolumeErrors(spec: Spec, path: string): FieldError[] {
  return [...sourceErrors(spec, path), ...contentErrors(spec, path), ...claimErrors(spec, path)];
}

function sourceErrors({ source, sourceRef, pvc, storage }: Spec, path: string): FieldError[] {
  const target = pvc ?? storage;
  const isFilledByOthers = target?.dataSource !== undefined || target?.dataSourceRef !== undefined;
  if (source && sourceRef) return [fieldError(path, 'DataVolume should have either Source or SourceRef, not both')];
  if (!source && !sourceRef)
    return isFilledByOthers
      ? []
      : [fieldError(path, 'DataVolume should have either Source or SourceRef, or be externally populated')];
  if (isFilledByOthers) return [fieldError(path, 'External population is incompatible with Source and SourceRef')];
  if (sourceRef)
    return sourceRef.kind === 'DataSource'
      ? []
      : [
          fieldError(
            `${path}.sourceRef.kind`,
            `Unsupported sourceRef kind ${sourceRef.kind}, currently only DataSource is supported`,
          ),
        ];
  const named = Object.entries(source ?? {}).filter(([, value]) => value !== undefined && value !== null);
  if (named.length !== 1)
    return [
      fieldError(`${path}.source`, named.length === 0 ? 'Missing dataVolume source' : 'Multiple dataVolume sources'),
    ];
  const unread = (Object.keys(NOT_READ) as (keyof typeof NOT_READ)[]).find((name) => source?.[name]);
  if (unread)
    return [
      fieldError(
        `${path}.source.${unread}`,
        `${path}.source.${unread}: Vireo does not support the source ${unread}: ${NOT_READ[unread]}`,
        'FieldValueNotSupported',
      ),
    ];
  if (source?.registry) return registryErrors(source.registry, `${path}.source.registry`);
  if (source?.s3) return s3Errors(source.s3.url, `${path}.source.s3.url`);
  return source?.http ? urlErrors(source.http.url, `${path}.source.http.url`) : [];
}

function registryErrors({ url = '', imageStream, pullMethod }: Registry, field: string): FieldError[] {
  if (imageStream !== undefined)
    return [
      fieldError(
        `${field}.imageStream`,
        `${field}.imageStream: Vireo has no image streams; name the image with ${field}.url`,
        'FieldValueNotSupported',
      ),
    ];
  return [
    // An archive would be a file of the node, and no object may say which.
    ...(/^docker:\/\/./.test(url)
      ? []
      : [
          fieldError(
            `${field}.url`,
            `${field}.url: Invalid source URL: ${JSON.stringify(url)} is not docker:// followed by an image reference`,
          ),
        ]),
    ...(pullMethod === undefined || pullMethod === 'pod' || pullMethod === 'node'
      ? []
      : [
          fieldError(
            `${field}.pullMethod`,
            `${field}.pullMethod: ${JSON.stringify(pullMethod)} is neither pod nor node`,
          ),
        ]),
  ];
}

function urlErrors(url: string, field: string): FieldError[] {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol))
    return [fieldError(field, `${field}: Invalid source URL: ${JSON.stringify(url)} is not an http or https URL`)];
  return [];
}

function s3Errors(url: string, field: string): FieldError[] {
  const [, bucket = '', key = ''] = /^\/([^/]+)\/(.+)$/.exec(URL.parse(url)?.pathname ?? '') ?? [];
  const wrong = urlErrors(url, field);
  if (wrong.length > 0 || (bucket && key)) return wrong;
  return [
    fieldError(
      field,
      `${field}: Invalid source URL: ${JSON.stringify(url)} names no object: its path must be /BUCKET/OBJECT`,
    ),
  ];
}

function contentErrors({ contentType }: Spec, path: string): FieldError[] {
  if (!contentType || contentType === 'kubevirt') return [];
  const field = `${path}.contentType`;
  if (contentType !== 'archive') return [fieldError(field, `ContentType not one of: kubevirt, archive`)];
  return [fieldError(field, `${field}: ${NO_ARCHIVES}`, 'FieldValueNotSupported')];
}

const LEAST = '1Mi';

function claimErrors(spec: Spec, path: string): FieldError[] {
  const { pvc, storage } = spec;
  if (pvc && storage)
    return [fieldError(path, 'Duplicate storage definition, both target storage and target pvc defined')];
  const target = pvc ?? storage;
  if (!target) return [fieldError(path, 'Missing Data volume PVC or Storage')];
  const field = `${path}.${pvc ? 'pvc' : 'storage'}`;
  const size = target.resources?.requests?.storage;
  // What is copied has a size of its own.
  const isKnown = storage !== undefined && (spec.source?.pvc ?? spec.source?.snapshot ?? spec.sourceRef) !== undefined;
  const namespace = (target.dataSourceRef as { namespace?: string } | undefined)?.namespace;
  return [
    ...(size === undefined && !isKnown
      ? [fieldError(`${field}.resources.requests`, `${field}: PVC size is missing`)]
      : []),
    ...(size !== undefined && compareQuantities(size, LEAST) < 0
      ? [fieldError(`${field}.resources.requests.storage`, `${field}: PVC size ${size} is less than ${LEAST}`)]
      : []),
    ...(pvc && pvc.accessModes?.length !== 1
      ? [fieldError(`${field}.accessModes`, `${field}: exactly one access mode is required`)]
      : []),
    ...(namespace ? [fieldError(`${field}.dataSourceRef`, 'DataSourceRef.Namespace is not supported')] : []),
  ];
}
