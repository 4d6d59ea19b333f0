import { version } from '../version.ts';
import type { ConnectionOptions } from './vms/connectionOptions.ts';

interface VersionOptions extends ConnectionOptions {
  readonly output: string;
  readonly client?: boolean;
}

/** Prints what runs here, and what the server says that it is. */
export async function printVersion({ output, client, ...connection }: VersionOptions): Promise<void> {
  const own = { vireo: version, node: process.versions.node };
  const isText = output !== 'json';
  // The own version first: it is wanted most when there is no server to ask.
  if (isText) console.log(`Client Version: vireo ${own.vireo} (node ${own.node})`);
  if (client) {
    if (!isText) console.log(JSON.stringify(own));
    return;
  }
  // Loaded here, so that the other commands start without it.
  const { serverVersion, versionInfo } = await import('./vms/version.ts');
  const { otherVersionNote } = await import('./vms/versions.ts');
  const server = await serverVersion(connection);
  const note = otherVersionNote(server.gitVersion);
  if (note) console.error(note);
  console.log(isText ? `Server Version: ${versionInfo(server)}` : JSON.stringify({ ...own, server }));
}
