/** What an upgraded connection between two nodes speaks: plain bytes of one channel. */
export const CHANNEL_PROTOCOL = 'vireo-migration';

/** After so long of silence, a connection between two nodes is probed. */
export const PROBE_MS = 10_000;

export const migrationPath = (migrationUid: string, word: string): string =>
  `/v1/migrations/${encodeURIComponent(migrationUid)}/${word}`;

const PATH = /^\/v1\/migrations\/([\w-]+)\/([a-z]+)$/;

/** The migration and the word of a path; undefined for other paths. */
export function parseMigrationPath(url: string | undefined): { migrationUid: string; word: string } | undefined {
  const match = PATH.exec(url ?? '');
  return match?.[1] !== undefined && match[2] !== undefined ? { migrationUid: match[1], word: match[2] } : undefined;
}

/** What flows between the two QEMUs: memory, and disks that are copied. */
export const CHANNELS = ['memory', 'disks'] as const;
export type Channel = (typeof CHANNELS)[number];

export const isChannel = (word: string): word is Channel => CHANNELS.includes(word as Channel);

/** What the target has already: digests of the images that container disks lie on, by volume. */
export interface BasesAnswer {
  readonly digests: Readonly<Record<string, string>>;
}

/** What the source sends when it begins. Cookies are libvirt's, in base64. */
export interface PrepareRequest {
  /** The domain as it runs on the source. */
  readonly xml: string;
  readonly cookie: string;
  readonly flags: number;
  /** Targets of the disks that are copied, such as `vda`. */
  readonly copiedDisks: readonly string[];
  /** What was left in the directories of the other disks, by volume. */
  readonly signs: Readonly<Record<string, string>>;
  /** Bytes of the disks that come to other claims than they are on, by volume. */
  readonly sizes?: Readonly<Record<string, number>>;
}

export interface PrepareAnswer {
  readonly cookie: string;
}

export interface FinishRequest {
  readonly cookie: string;
  readonly flags: number;
  /** Whether the guest stays on the source. */
  readonly isCancelled: boolean;
}

/** `running`: the guest is the target's. `gone`: it is not, and never will be by this migration. */
export interface OutcomeAnswer {
  readonly outcome: 'running' | 'gone';
  /** Why it is gone. */
  readonly reason?: string | undefined;
  readonly cookie?: string;
}
