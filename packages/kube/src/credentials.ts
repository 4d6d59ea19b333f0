import { readFile } from 'node:fs/promises';
import { type Clock, systemClock } from './clock.ts';

/** How a client shows who it is. Certificate and key belong to a connection, the token to a call. */
export interface Credentials {
  readonly token?: string;
  /** PEM. */
  readonly certificate?: string | Buffer;
  /** PEM. */
  readonly key?: string | Buffer;
}

/** Credentials that may change while the client lives. */
export interface CredentialSource {
  get(): Promise<Credentials>;
  /** The server did not take them: the next `get` must look again. */
  reject(): void;
}

export const staticCredentials = (credentials: Credentials): CredentialSource => ({
  get: async () => credentials,
  reject: () => {},
});

/** Tokens of service accounts are replaced on disk long before they expire, so a minute of memory is safe. */
const TOKEN_FILE_MS = 60_000;

/** A token that somebody keeps fresh in a file, as the kubelet does in pods. */
export function tokenFileCredentials(path: string, clock: Clock = systemClock): CredentialSource {
  let read: { readonly at: number; readonly token: string } | undefined;
  return {
    async get() {
      if (!read || clock.now() - read.at >= TOKEN_FILE_MS) {
        const token = (await readFile(path, 'utf8')).trim();
        if (token === '') throw new Error(`the token file ${path} is empty`);
        read = { at: clock.now(), token };
      }
      return { token: read.token };
    },
    reject() {
      read = undefined;
    },
  };
}
