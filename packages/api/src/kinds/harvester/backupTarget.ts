/** Where backups are kept, without what it takes to be let in: that is in the Secret of the target. */
export type BackupTarget = (DirectoryTarget | NfsTarget | S3Target) & {
  /** What the controller found or wrote there when it accepted the target. Without it nothing but that is written. */
  readonly id?: string | undefined;
};

/** A directory that every host has at the same path. */
export interface DirectoryTarget {
  readonly type: 'directory';
  /** `file:///mnt/backup`. */
  readonly endpoint: string;
}

/** A directory of an NFS server, which hosts mount when they need it. */
export interface NfsTarget {
  readonly type: 'nfs';
  /** `nfs://server:/path`, with mount options as in `?nfsOptions=vers=4.2,soft`. */
  readonly endpoint: string;
}

export interface S3Target {
  readonly type: 's3';
  /** `https://s3.example.com:9000`; empty for Amazon's. */
  readonly endpoint: string;
  readonly bucketName: string;
  readonly bucketRegion: string;
  /** Whether the bucket is in the host's name instead of the path. */
  readonly virtualHostedStyle: boolean;
}

/** What it takes to be let in. */
export interface BackupCredentials {
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  /** Certificates to trust beside those that the host trusts, in PEM. */
  readonly cert?: string | undefined;
}

/** The Secret with the credentials of the target. */
export const BACKUP_TARGET_SECRET = { namespace: 'kubevirt', name: 'harvester-backup-target-secret' } as const;

/** Its keys, which are those of the storage that Harvester hands them to. */
const KEYS = {
  accessKeyId: 'AWS_ACCESS_KEY_ID',
  secretAccessKey: 'AWS_SECRET_ACCESS_KEY',
  cert: 'AWS_CERT',
} as const satisfies Record<keyof BackupCredentials, string>;
const NAMES = Object.keys(KEYS) as (keyof typeof KEYS)[];

/** Credentials as the data of the Secret. */
export const credentialsData = (credentials: BackupCredentials): Record<string, string> =>
  Object.fromEntries(NAMES.map((name) => [KEYS[name], Buffer.from(credentials[name] ?? '').toString('base64')]));

/** The credentials in the data of the Secret. */
export const credentialsIn = (data: Readonly<Record<string, string>> = {}): BackupCredentials =>
  Object.fromEntries(
    NAMES.map((name) => [name, Buffer.from(data[KEYS[name]] ?? '', 'base64').toString() || undefined]),
  );
