import { isObject } from '@vireo/api/json.ts';
import type { BackupCredentials, BackupTarget } from '@vireo/api/kinds/harvester/backupTarget.ts';

/** What the value of the setting `backup-target` says. */
export interface BackupTargetSetting {
  readonly target: BackupTarget;
  readonly credentials: BackupCredentials;
  /** How often the target is looked at for backups of others; 0: only when the setting changes. */
  readonly refreshIntervalInSeconds: number;
}

/** Reads the value of the setting; undefined where it configures no target. Throws an error that names the field. */
export function parseTarget(value: string): BackupTargetSetting | undefined {
  const fields = fieldsOf(value);
  const text = (name: string): string => {
    const found = fields[name] ?? '';
    if (typeof found !== 'string') throw invalid(name, found, 'must be a string');
    return found.trim();
  };
  const [type, endpoint] = [text('type'), text('endpoint')];
  if (type === '' && endpoint === '') return undefined;
  const refreshIntervalInSeconds = fields.refreshIntervalInSeconds ?? 0;
  if (typeof refreshIntervalInSeconds !== 'number' || !(refreshIntervalInSeconds >= 0))
    throw invalid('refreshIntervalInSeconds', refreshIntervalInSeconds, 'must be a number that is not negative');
  const virtualHostedStyle = fields.virtualHostedStyle ?? false;
  if (typeof virtualHostedStyle !== 'boolean')
    throw invalid('virtualHostedStyle', virtualHostedStyle, 'must be true or false');
  const credentials: BackupCredentials = {
    accessKeyId: text('accessKeyId') || undefined,
    secretAccessKey: text('secretAccessKey') || undefined,
    cert: text('cert') || undefined,
  };
  const rest = { credentials, refreshIntervalInSeconds };
  switch (type) {
    case 'directory':
      directoryOf(endpoint);
      return { target: { type, endpoint }, ...rest };
    case 'nfs':
      exportOf(endpoint);
      return { target: { type, endpoint }, ...rest };
    case 's3': {
      const [bucketName, bucketRegion] = [text('bucketName'), text('bucketRegion')];
      if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucketName))
        throw invalid('bucketName', bucketName, 'must be the name of a bucket');
      if (!/^[a-z0-9-]+$/i.test(bucketRegion))
        throw invalid('bucketRegion', bucketRegion, 'must be a region, such as us-east-1');
      if (endpoint !== '') expectWebServer(endpoint);
      if (credentials.cert !== undefined && !credentials.cert.includes('-----BEGIN CERTIFICATE-----'))
        throw new Error('cert: expected certificates in PEM');
      return { target: { type, endpoint, bucketName, bucketRegion, virtualHostedStyle }, ...rest };
    }
    default:
      throw invalid('type', type, 'must be s3, nfs or directory');
  }
}

/** The path of a directory target. */
export function directoryOf(endpoint: string): string {
  const path = endpoint.startsWith('file:///') ? endpoint.slice('file://'.length).replace(/\/+$/, '') : '';
  if (path === '' || path.split('/').some((part) => part === '..' || part === '.') || /[\0\n?#%]/.test(path))
    throw invalid(
      'endpoint',
      endpoint,
      'must be file:// and the absolute path of a directory, as in file:///mnt/backup',
    );
  return path;
}

/** What to mount for an NFS target. */
export interface NfsExport {
  readonly server: string;
  readonly path: string;
  readonly options: string;
}

/** What an NFS endpoint names. */
export function exportOf(endpoint: string): NfsExport {
  const [, server = '', path = '', options = ''] =
    /^nfs:\/\/([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\]):?(\/[^?\s,]*)(?:\?nfsOptions=([A-Za-z0-9=.,_-]*))?$/.exec(endpoint) ??
    [];
  if (server === '' || server.startsWith('-') || path.split('/').includes('..'))
    throw invalid('endpoint', endpoint, 'must be the directory of an NFS server, as in nfs://server:/path');
  return { server, path, options };
}

function expectWebServer(endpoint: string): void {
  const url = URL.parse(endpoint);
  const isPlain = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.username;
  if (!isPlain) throw invalid('endpoint', endpoint, 'must be the URL of a server, as in https://s3.example.com:9000');
}

function fieldsOf(value: string): Record<string, unknown> {
  if (value.trim() === '') return {};
  let fields: unknown;
  try {
    fields = JSON.parse(value);
  } catch (error) {
    throw new Error(`value: expected JSON: ${(error as Error).message}`, { cause: error });
  }
  if (!isObject(fields))
    throw new Error('value: expected a JSON object, as in {"type":"nfs","endpoint":"nfs://server:/path"}');
  return fields;
}

const invalid = (field: string, value: unknown, rule: string): Error =>
  new Error(`${field}: invalid value ${JSON.stringify(value)}: ${rule}`);

/** A target in words for users. */
export function describeTarget(target: BackupTarget): string {
  if (target.type !== 's3') return target.endpoint;
  return `s3://${target.bucketName}@${target.bucketRegion}/${target.endpoint && ` at ${target.endpoint}`}`;
}
