import { parseDigest } from './digest.ts';
import { OciError } from './errors.ts';

/** Names bytes by their digest. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly sizeBytes: number;
  readonly architecture?: string;
  readonly os?: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** An image of one platform. */
export interface ImageManifest {
  readonly kind: 'image';
  readonly config: Descriptor;
  /** Lowest first. */
  readonly layers: readonly Descriptor[];
}

/** Images of several platforms. */
export interface ImageIndex {
  readonly kind: 'index';
  readonly manifests: readonly Descriptor[];
}

const IMAGE_TYPES = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];
const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/** What a registry is asked for. */
export const ACCEPTED_MANIFESTS = [...IMAGE_TYPES, ...INDEX_TYPES].join(', ');

/** No image needs more; hostile ones claim anything. */
const MAX_LAYERS = 256;

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function parseJson(bytes: Buffer, what: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new OciError('BadImage', `${what} is not valid JSON`, { cause: error });
  }
  if (!isObject(value)) throw new OciError('BadImage', `${what} is not a JSON object`);
  return value;
}

/** Reads a manifest or an index; `mediaType` is what came with it, which documents may leave out of themselves. */
export function parseManifest(bytes: Buffer, what: string, mediaType?: string): ImageManifest | ImageIndex {
  const json = parseJson(bytes, what);
  const type = typeof json.mediaType === 'string' ? json.mediaType : (mediaType ?? '').split(';')[0]?.trim();
  if (json.schemaVersion === 1)
    throw new OciError(
      'BadImage',
      `${what} uses Docker's obsolete manifest format (schema 1); push the image again with a newer tool`,
    );
  if (INDEX_TYPES.includes(type ?? '') || Array.isArray(json.manifests))
    return { kind: 'index', manifests: descriptors(json.manifests, `${what}: manifests`) };
  if (IMAGE_TYPES.includes(type ?? '') || Array.isArray(json.layers)) {
    const layers = descriptors(json.layers, `${what}: layers`);
    if (layers.length > MAX_LAYERS)
      throw new OciError('BadImage', `${what} has ${layers.length} layers; at most ${MAX_LAYERS} are supported`);
    return { kind: 'image', config: descriptor(json.config, `${what}: config`), layers };
  }
  throw new OciError(
    'BadImage',
    `${what} is neither an image manifest nor an image index; its media type is ${JSON.stringify(type)}`,
  );
}

function descriptors(value: unknown, what: string): Descriptor[] {
  if (!Array.isArray(value)) throw new OciError('BadImage', `${what} is not a list`);
  return value.map((each, index) => descriptor(each, `${what}[${index}]`));
}

function descriptor(value: unknown, what: string): Descriptor {
  if (!isObject(value)) throw new OciError('BadImage', `${what} is not an object`);
  const { mediaType, digest, size, platform, annotations } = value;
  if (typeof digest !== 'string' || !parseDigest(digest))
    throw new OciError('BadImage', `${what}.digest is not a valid digest: ${JSON.stringify(digest)}`);
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    throw new OciError('BadImage', `${what}.size is not a valid size: ${JSON.stringify(size)}`);
  const { architecture, os } = isObject(platform) ? platform : {};
  return {
    mediaType: typeof mediaType === 'string' ? mediaType : '',
    digest,
    sizeBytes: size,
    ...(typeof architecture === 'string' && { architecture }),
    ...(typeof os === 'string' && { os }),
    annotations: isObject(annotations) ? (annotations as Record<string, string>) : {},
  };
}

/** The image of an index that is for an architecture. Entries that say nothing of a platform are for any. */
export function chooseManifest({ manifests }: ImageIndex, architecture: string, what: string): Descriptor {
  const usable = manifests.filter(({ os = 'linux' }) => os !== 'unknown');
  const chosen =
    usable.find((each) => each.architecture === architecture) ?? usable.find((each) => each.architecture === undefined);
  if (chosen) return chosen;
  const offered = [...new Set(usable.map((each) => each.architecture))].sort().join(', ') || 'none';
  throw new OciError(
    'WrongArchitecture',
    `${what} has no image for ${architecture}; available architectures: ${offered}`,
  );
}
