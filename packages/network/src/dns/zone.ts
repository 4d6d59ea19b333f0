import type { Answer } from 'dns-packet';

/** What a zone knows of a name. A name that exists without records of the type that was asked for has none here. */
export interface Resolution {
  readonly exists: boolean;
  readonly records: readonly Answer[];
}

/** Names that a server answers itself. */
export interface Zone {
  /** What it knows; undefined for names that are not its own. Names are in lower case and without a final dot. */
  resolve(name: string, type: string): Resolution | undefined;
}
