import { bytesOf } from '../quantity.ts';
import { BIND_IMMEDIATE, type DataVolumeSource, FITTED, SOURCE_FILE } from './objects.ts';

/** What a form for a new volume asks. */
export interface VolumeDraft {
  readonly namespace: string;
  readonly name: string;
  /** A Kubernetes quantity; empty: as large as its data, or as what it is a copy of. */
  readonly size: string;
  /** Empty: the default class. */
  readonly storageClass: string;
  /** Whether a DataSource of the same name makes it an image for new machines. */
  readonly isImage: boolean;
}

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const LONGEST_NAME = 63;

/** A name that Kubernetes takes, made of a file's or an image's. */
export function nameFrom(text: string): string {
  const bare = text
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/^.*\//, '')
    .replace(/(\.(gz|xz|zst|zstd))$/i, '')
    .replace(/\.(img|raw|qcow2|iso|bin)$/i, '');
  const plain = bare
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/-{2,}/g, '-');
  return plain.slice(0, LONGEST_NAME).replace(/^-+|-+$/g, '');
}

/** A name that is not taken: `disk`, `disk-2`, … */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (name === '' || !isTaken(name)) return name;
  for (let number = 2; ; number += 1) {
    const next = `${name.slice(0, LONGEST_NAME - 4)}-${number}`;
    if (!isTaken(next)) return next;
  }
}

/** What is wrong with a name; undefined if nothing is. */
export function nameProblem(name: string, isTaken: (name: string) => boolean): string | undefined {
  if (name === '') return 'Give it a name.';
  if (name.length > LONGEST_NAME) return `A name has at most ${LONGEST_NAME} characters.`;
  if (!NAME.test(name)) return 'Use small letters, digits, “-” and “.”, and begin and end with a letter or digit.';
  return isTaken(name) ? `There is a volume ${name} already.` : undefined;
}

/** `20 GB` and `20gi` as Kubernetes writes them; what cannot be read stays as it is. */
export function quantityFrom(text: string): string {
  const [, digits, unit = ''] = /^\s*(\d+(?:[.,]\d+)?)\s*([kmgt]?)(?:i?b?)\s*$/i.exec(text) ?? [];
  if (digits === undefined) return text.trim();
  const isBinary = /i/i.test(text) || !/b/i.test(text);
  const letter =
    unit === '' ? '' : isBinary ? `${unit.toUpperCase()}i` : unit.toLowerCase() === 'k' ? 'k' : unit.toUpperCase();
  return `${digits.replace(',', '.')}${letter}`;
}

/** What is wrong with a size. */
export function sizeProblem(text: string, leastBytes = 1): string | undefined {
  const bytes = bytesOf(quantityFrom(text));
  if (bytes === undefined || bytes < 1) return 'Give a size such as 10Gi or 500Mi.';
  return bytes < leastBytes ? `At least ${sizeFor(leastBytes)} is needed.` : undefined;
}

const MIB = 2 ** 20;

/** The quantity that holds so many bytes: whole MiB, or GiB where it comes out even. */
export function sizeFor(bytes: number): string {
  const mib = Math.max(1, Math.ceil(bytes / MIB));
  return mib % 1024 === 0 ? `${mib / 1024}Gi` : `${mib}Mi`;
}

/** What a volume without a size of its own begins with, until its data has come. */
const BEFORE_DATA = '1Mi';

/** The DataVolume to create. */
export function dataVolumeFrom(draft: VolumeDraft, source: DataVolumeSource, sourceFile?: string): object {
  const { namespace, name, storageClass } = draft;
  const size = quantityFrom(draft.size);
  const isCopy = source.pvc !== undefined || source.snapshot !== undefined;
  const isFitted = size === '' && !isCopy;
  const annotations = {
    // It is wanted whether or not a machine uses it already.
    ...(!source.blank && { [BIND_IMMEDIATE]: '' }),
    ...(isFitted && { [FITTED]: 'true' }),
    ...(sourceFile !== undefined && { [SOURCE_FILE]: sourceFile }),
  };
  const wanted = size || (isFitted ? BEFORE_DATA : '');
  return {
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name, namespace, ...(Object.keys(annotations).length > 0 && { annotations }) },
    spec: {
      source,
      storage: {
        ...(wanted && { resources: { requests: { storage: wanted } } }),
        ...(storageClass && { storageClassName: storageClass }),
      },
    },
  };
}

/** What makes a volume an image: a name that machines are created from. */
export const dataSourceFrom = ({ namespace, name }: VolumeDraft): object => ({
  apiVersion: 'cdi.kubevirt.io/v1beta1',
  kind: 'DataSource',
  metadata: { name, namespace },
  spec: { source: { pvc: { namespace, name } } },
});

/** The source of an import; container images are named as everybody names them, and CDI wants `docker://` before. */
export function importSource(address: string): DataVolumeSource | undefined {
  const text = address.trim();
  if (/^https?:\/\/[^/]/i.test(text)) return { http: { url: text } };
  const reference = text.replace(/^docker:\/\//, '');
  if (text.includes('://') && !text.startsWith('docker://')) return undefined;
  return /^[\w][\w.:/@-]*$/.test(reference) ? { registry: { url: `docker://${reference}` } } : undefined;
}
