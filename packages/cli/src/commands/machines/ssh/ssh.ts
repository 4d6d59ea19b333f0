import { namespaceOf } from '../connection.ts';
import { clientOptions, hostOf, loginName, runClient, type SshOptions } from './localClient.ts';
import type { SshTarget } from './target.ts';

/** Logs in to a guest with the ssh of this host. */
export async function ssh(target: SshTarget, options: SshOptions & { readonly command?: string }): Promise<void> {
  const namespace = target.namespace ?? (await namespaceOf(options));
  const user = loginName(target, options, process.env);
  const host = hostOf(target, namespace);
  await runClient('ssh', [
    ...clientOptions(target, namespace, options),
    '--',
    user ? `${user}@${host}` : host,
    ...(options.command ? [options.command] : []),
  ]);
}
