import type { PersistentVolumeClaim } from '@vireo/api';
import {
  CLONE_REQUEST,
  IMPORT_ARCHITECTURE,
  IMPORT_CERTIFICATES,
  IMPORT_CHECKSUM,
  IMPORT_ENDPOINT,
  IMPORT_FATAL,
  IMPORT_HEADERS,
  IMPORT_PULL_METHOD,
  IMPORT_SECRET,
  IMPORT_SECRET_HEADERS,
  IMPORT_SOURCE,
  SNAPSHOT_REQUEST,
  UPLOAD_TARGET,
} from '@vireo/api/kinds/cdi/names.ts';
import { waitsForData } from '@vireo/api/kinds/cdi/populated.ts';
import { BACKUP_IMPORT_SOURCE } from '@vireo/api/kinds/harvester/backupWork.ts';

/** What a claim is to be filled with. */
export type Work =
  | { readonly kind: 'blank' }
  | HttpWork
  | S3Work
  | RegistryWork
  | { readonly kind: 'upload' }
  | { readonly kind: 'clone'; readonly claim: string }
  | { readonly kind: 'restore'; readonly snapshot: string }
  /** The worker pod that names the claim says which. */
  | { readonly kind: 'backup' }
  /** Asked for, and nothing that this node can do. */
  | { readonly kind: 'unknown'; readonly what: string };

export interface HttpWork {
  readonly kind: 'http';
  readonly url: string;
  readonly secret: string | undefined;
  readonly certificates: string | undefined;
  readonly headers: readonly string[];
  readonly secretHeaders: readonly string[];
  readonly checksum: string | undefined;
}

export interface S3Work {
  readonly kind: 's3';
  /** The server's, with the bucket and the object in its path. */
  readonly url: string;
  readonly secret: string | undefined;
  readonly certificates: string | undefined;
}

export interface RegistryWork {
  readonly kind: 'registry';
  /** `docker://` and the name of an image. */
  readonly url: string;
  readonly secret: string | undefined;
  readonly certificates: string | undefined;
  readonly architecture: string | undefined;
  /** Whether the node keeps the image, as those of containerDisks. */
  readonly isKept: boolean;
}

/** The work that a claim asks for by its annotations; undefined where there is none, or none any more. */
export function workOf(claim: PersistentVolumeClaim): Work | undefined {
  const { annotations = {} } = claim.metadata;
  if (!waitsForData(claim) || annotations[IMPORT_FATAL] === 'true') return undefined;
  if (annotations[UPLOAD_TARGET] !== undefined) return { kind: 'upload' };
  const { [CLONE_REQUEST]: claimKey, [SNAPSHOT_REQUEST]: snapshot } = annotations;
  if (claimKey) return { kind: 'clone', claim: claimKey };
  if (snapshot) return { kind: 'restore', snapshot };
  const source = annotations[IMPORT_SOURCE] ?? '';
  if (source === 'none') return { kind: 'blank' };
  if (source === BACKUP_IMPORT_SOURCE) return { kind: 'backup' };
  const from = {
    url: annotations[IMPORT_ENDPOINT] ?? '',
    secret: annotations[IMPORT_SECRET],
    certificates: annotations[IMPORT_CERTIFICATES],
  };
  if (source === 's3') return { kind: 's3', ...from };
  if (source === 'registry')
    return {
      kind: 'registry',
      ...from,
      architecture: annotations[IMPORT_ARCHITECTURE],
      isKept: annotations[IMPORT_PULL_METHOD] === 'node',
    };
  if (source !== 'http') return { kind: 'unknown', what: `${IMPORT_SOURCE} ${JSON.stringify(source)}` };
  return {
    kind: 'http',
    ...from,
    headers: numberedValues(annotations, IMPORT_HEADERS),
    secretHeaders: numberedValues(annotations, IMPORT_SECRET_HEADERS),
    checksum: annotations[IMPORT_CHECKSUM],
  };
}

function numberedValues(annotations: Readonly<Record<string, string>>, prefix: string): string[] {
  return Object.keys(annotations)
    .filter((key) => key.startsWith(`${prefix}.`))
    .sort((a, b) => Number(a.slice(prefix.length + 1)) - Number(b.slice(prefix.length + 1)))
    .map((key) => annotations[key] ?? '');
}
