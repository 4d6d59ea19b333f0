import type { Client } from '@vireo/kube';

/** The version of KubeVirt whose commands and protocols these are. */
const VIRTCTL_VERSION = 'v1.9.0';

const TIMEOUT_MS = 2_000;

/** Warns if the server has another minor version than this program. A server that does not respond in time is skipped. */
export async function warnOfOtherVersion(client: Client): Promise<void> {
  try {
    const path = '/apis/subresources.kubevirt.io/v1/version';
    const answer = await client.call({ method: 'GET', path, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const note = otherVersionNote((answer as { gitVersion?: string }).gitVersion);
    if (note) console.error(note);
  } catch {
    // The reason that is told next says enough.
  }
}

/** What to say about a server's version: nothing, where only the last number differs. */
export function otherVersionNote(server: string | undefined, own = VIRTCTL_VERSION): string | undefined {
  const minor = (version: string | undefined): string | undefined => /^v?(\d+\.\d+)\./.exec(version ?? '')?.[1];
  if (minor(server) === undefined || minor(server) === minor(own)) return undefined;
  return [
    'You are using a client virtctl version that is different from the KubeVirt version running in the cluster',
    `Client Version: ${own}`,
    `Server Version: ${server}`,
  ].join('\n');
}
