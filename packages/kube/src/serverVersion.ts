import type { Client } from './client.ts';

/** What a server says that it is. */
export interface ServerVersion {
  /** Such as v1.30.2. */
  readonly text: string;
  /** The number after the first dot; not a number where it says none. */
  readonly minor: number;
}

/** Asks a server for its version. Vendors put a plus sign behind the number. */
export async function serverVersion(client: Client): Promise<ServerVersion> {
  const { gitVersion = '', minor = '' } = (await client.call({ method: 'GET', path: '/version' })) as {
    gitVersion?: string;
    minor?: string;
  };
  return { text: gitVersion, minor: Number.parseInt(minor, 10) };
}
