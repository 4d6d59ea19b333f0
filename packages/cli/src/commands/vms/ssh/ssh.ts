import { connected, namespaceOf } from '../connection.ts';
import { findVm } from '../findVm.ts';
import { hostKeyOptions } from './guestSsh.ts';
import { clientOptions, hostOf, loginName, runClient, type SshOptions } from './localClient.ts';
import { findLogin } from './login.ts';
import type { SshTarget } from './target.ts';

type Options = SshOptions & { readonly command?: string };

/** Logs in to a guest with the ssh of this host. */
export async function ssh(asked: SshTarget, given: Options): Promise<void> {
  const { target, options, more } = asked.isBare ? await resolveName(asked, given) : plain(asked, given);
  const namespace = target.namespace ?? (await namespaceOf(options));
  const user = loginName(target, options, process.env);
  const host = hostOf(target, namespace);
  await runClient('ssh', [
    ...clientOptions(target, namespace, options),
    ...more,
    '--',
    user ? `${user}@${host}` : host,
    ...(options.command ? [options.command] : []),
  ]);
}

interface Resolved {
  readonly target: SshTarget;
  readonly options: Options;
  /** Further options of ssh. */
  readonly more: readonly string[];
}

/** As virtctl has it. */
const plain = (target: SshTarget, options: Options): Resolved => ({ target, options, more: [] });

/** A name alone is a VM's or a VMI's, and what the VM says of its user and key holds unless the command says more. */
const resolveName = (asked: SshTarget, options: Options): Promise<Resolved> =>
  connected(options, async (connection) => {
    const pair = await findVm(connection, asked.name);
    const { user, key } = await findLogin(connection, pair);
    const target: SshTarget = { ...asked, resource: pair.vm ? 'virtualmachines' : 'virtualmachineinstances' };
    return {
      target,
      options: {
        ...options,
        ...(user && options.username === undefined && { username: user }),
        ...(key?.file && options.identityFile === undefined && { identityFile: key.file }),
      },
      more: hostKeyOptions(pair, hostOf(target, connection.namespace)),
    };
  });
