import type { Client } from '@vireo/kube';

/** The version of KubeVirt whose commands and protocols these are. */
const SPEAKS = 'v1.9.0';

const PATIENCE_MS = 2_000;

/** Tells when the server is of another version than what this program speaks; a server that does not say is not waited for. */
export async function tellOtherVersion(client: Client): Promise<void> {
  try {
    const path = '/apis/subresources.kubevirt.io/v1/version';
    const answer = await client.call({ method: 'GET', path, signal: AbortSignal.timeout(PATIENCE_MS) });
    const note = otherVersionNote((answer as { gitVersion?: string }).gitVersion);
    if (note) console.error(note);
  } catch {
    // The reason that is told next says enough.
  }
}

/** What to say about a server's version: nothing, where only the last number differs. */
export function otherVersionNote(server: string | undefined, own = SPEAKS): string | undefined {
  const minor = (version: string | undefined): string | undefined => /^v?(\d+\.\d+)\./.exec(version ?? '')?.[1];
  if (minor(server) === undefined || minor(server) === minor(own)) return undefined;
  return [
    'You are using a client virtctl version that is different from the KubeVirt version running in the cluster',
    `Client Version: ${own}`,
    `Server Version: ${server}`,
  ].join('\n');
}
