import { connected, SUBRESOURCES } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { orFail } from './refusal.ts';

/** What a server says about its version: KubeVirt's fields, in the order in which virtctl prints them. */
export type ServerVersion = Readonly<Partial<Record<(typeof FIELDS)[number], string>>>;

const FIELDS = ['gitVersion', 'gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler', 'platform'] as const;

/** Asks the server for its version. */
export function serverVersion(options: ConnectionOptions): Promise<ServerVersion> {
  return connected(options, async (connection) => {
    const answer = await orFail(
      connection,
      (why) => `cannot read the version of the server: ${why}`,
      () => connection.client.call({ method: 'GET', path: `${SUBRESOURCES}/version` }),
    );
    return answer as ServerVersion;
  });
}

/** The version as virtctl prints it; scripts look for `GitVersion:"…"`. */
export function versionInfo(version: ServerVersion): string {
  const fields = FIELDS.map(
    (name) => `${name[0]?.toUpperCase()}${name.slice(1)}:${JSON.stringify(version[name] ?? '')}`,
  );
  return `version.Info{${fields.join(', ')}}`;
}
