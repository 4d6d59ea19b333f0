/** Names and paths by which those who offer exports and those who fetch them find each other. */

/** The header, or parameter of the query, that holds the password of an export. */
export const TOKEN_HEADER = 'x-kubevirt-export-token';
/** The key of the Secret that holds it. */
export const TOKEN_KEY = 'token';

/** Everything below is served on the port of the API, to whoever has the password. */
export const EXPORT_PREFIX = '/api/export.kubevirt.io/';

/** Where an export is. */
export const exportPath = (namespace: string, name: string): string =>
  `${EXPORT_PREFIX}v1/namespaces/${namespace}/virtualmachineexports/${name}`;

/** What each format of a volume is called below `volumes/<claim>/`. */
export const FORMAT_FILES = {
  raw: 'disk.img',
  gzip: 'disk.img.gz',
  dir: 'dir/',
  'tar.gz': 'disk.tar.gz',
} as const;

export type ExportFormat = keyof typeof FORMAT_FILES;

export const volumePath = (claim: string, format: ExportFormat): string => `volumes/${claim}/${FORMAT_FILES[format]}`;

/** Where the manifests are, by the way that those who apply them reach the export. */
export const manifestPath = (way: 'internal' | 'external', type: 'all' | 'auth-header-secret'): string =>
  `${way}/manifests/${type === 'all' ? 'all' : 'secret'}`;

/** The claim that is made from a snapshot of another one, for as long as the export lasts. */
export const restoredClaimName = (exportName: string, claim: string): string => `${exportName}-${claim}`;
