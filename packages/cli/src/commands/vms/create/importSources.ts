import type { Failure } from '../../../failure.ts';
import { flagError, type Params, readParams, splitParams, splitPrefixed } from './params.ts';
import { type COMMON_SHAPE, IMPORT_SHAPES } from './shapes.ts';

const FLAG = 'volume-import';

type ImportType = keyof typeof IMPORT_SHAPES;

/** Of these the size is that of what they are made from. */
const SIZE_OPTIONAL: readonly ImportType[] = ['pvc', 'snapshot', 'ds'];

export interface ImportedVolume {
  readonly name?: string;
  readonly size?: string;
  readonly bootOrder?: number;
  /** The part of the DataVolume's spec that says where it comes from. */
  readonly source: Readonly<Record<string, unknown>>;
}

/** Reads `--volume-import=type:…,…`. */
export function readImport(text: string): ImportedVolume {
  const type = splitParams(FLAG, text).get('type');
  if (type === undefined) throw wrong('type must be specified');
  if (!Object.hasOwn(IMPORT_SHAPES, type)) throw wrong(`unknown source type used - ${type}`);
  const known = type as ImportType;
  const params: Params<typeof COMMON_SHAPE> = readParams(FLAG, text, IMPORT_SHAPES[known]);
  const source = SOURCES[known](text);
  if (params.size === undefined && !SIZE_OPTIONAL.includes(known)) throw wrong('size must be specified');
  return {
    source,
    ...(params.name && { name: params.name }),
    ...(params.size && { size: params.size }),
    ...(params.bootorder !== undefined && { bootOrder: params.bootorder }),
  };
}

const wrong = (problem: string): Failure => flagError(FLAG, problem);

/** One reader a type: CDI's fields, and what each cannot do without. */
const SOURCES: Readonly<Record<ImportType, (text: string) => Readonly<Record<string, unknown>>>> = {
  blank: () => ({ source: { blank: {} } }),
  gcs: (text) => {
    const { url, secretref } = readParams(FLAG, text, IMPORT_SHAPES.gcs);
    return { source: { gcs: { url: needed(url, 'URL is required with GCS volume source'), secretRef: secretref } } };
  },
  http: (text) => {
    const given = readParams(FLAG, text, IMPORT_SHAPES.http);
    const http = {
      url: needed(given.url, 'URL is required with http volume source'),
      secretRef: given.secretref,
      certConfigMap: given.certconfigmap,
      extraHeaders: given.extraheaders,
      secretExtraHeaders: given.secretextraheaders,
    };
    return { source: { http } };
  },
  imageio: (text) => {
    const { url, diskid, secretref, certconfigmap } = readParams(FLAG, text, IMPORT_SHAPES.imageio);
    const both = 'URL and diskid are both required with imageIO volume source';
    const imageio = {
      url: needed(url, both),
      diskId: needed(diskid, both),
      secretRef: secretref,
      certConfigMap: certconfigmap,
    };
    return { source: { imageio } };
  },
  pvc: (text) => ({ source: { pvc: objectIn(readParams(FLAG, text, IMPORT_SHAPES.pvc).src, 'pvc') } }),
  snapshot: (text) => ({
    source: { snapshot: objectIn(readParams(FLAG, text, IMPORT_SHAPES.snapshot).src, 'snapshot') },
  }),
  ds: (text) => {
    const { prefix, name } = prefixed(readParams(FLAG, text, IMPORT_SHAPES.ds).src);
    return { sourceRef: { kind: 'DataSource', name, ...(prefix && { namespace: prefix }) } };
  },
  registry: (text) => {
    const given = readParams(FLAG, text, IMPORT_SHAPES.registry);
    if (given.pullmethod && !['pod', 'node'].includes(given.pullmethod))
      throw wrong('pullmethod must be set to pod or node');
    if (Boolean(given.url) === Boolean(given.imagestream))
      throw wrong('exactly one of url or imagestream must be defined');
    const registry = {
      url: given.url,
      imageStream: given.imagestream,
      pullMethod: given.pullmethod,
      secretRef: given.secretref,
      certConfigMap: given.certconfigmap,
    };
    return { source: { registry } };
  },
  s3: (text) => {
    const { url, secretref, certconfigmap } = readParams(FLAG, text, IMPORT_SHAPES.s3);
    const s3 = {
      url: needed(url, 'URL is required with S3 volume source'),
      secretRef: secretref,
      certConfigMap: certconfigmap,
    };
    return { source: { s3 } };
  },
  vddk: (text) => {
    const given = readParams(FLAG, text, IMPORT_SHAPES.vddk);
    const vddk = {
      url: needed(given.url, 'URL is required with VDDK volume source'),
      uuid: needed(given.uuid, 'UUID is required with VDDK volume source'),
      thumbprint: needed(given.thumbprint, 'ThumbPrint is required with VDDK volume source'),
      secretRef: needed(given.secretref, 'SecretRef is required with VDDK volume source'),
      backingFile: needed(given.backingfile, 'BackingFile is required with VDDK volume source'),
      initImageURL: given.initimageurl,
    };
    return { source: { vddk } };
  },
};

function needed(value: string | undefined, problem: string): string {
  if (!value) throw wrong(problem);
  return value;
}

const prefixed = (src: string | undefined) =>
  splitPrefixed(needed(src, 'src must be specified'), (why) => wrong(`src invalid: ${why}`));

function objectIn(src: string | undefined, what: string): { name: string; namespace: string } {
  const { prefix, name } = prefixed(src);
  if (!prefix) throw wrong(`namespace of ${what} '${name}' must be specified`);
  return { name, namespace: prefix };
}
