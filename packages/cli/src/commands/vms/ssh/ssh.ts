import { type Connection, connected } from '../connection.ts';
import { findVm } from '../findVm.ts';
import { directWay } from './directWay.ts';
import { hostKeyAlias, hostKeyOptions } from './guestSsh.ts';
import { clientOptions, hostOf, loginName, runClient, type SshOptions } from './localClient.ts';
import { findLogin } from './login.ts';
import type { SshTarget } from './target.ts';

type Options = SshOptions & { readonly command?: string };

/** Logs in to a guest with the ssh of this host. */
export async function ssh(asked: SshTarget, given: Options): Promise<void> {
  const { target, options, more, ...way } = await connected(given, async (connection) => {
    const resolved = asked.isBare ? await resolveName(connection, asked, given) : plain(asked, given);
    const { namespace = connection.namespace } = resolved.target;
    const host = hostOf(resolved.target, namespace);
    const direct = await directWay(connection, resolved.target, given.port, resolved.hostKeyAlias ?? host);
    return { ...resolved, namespace, host, direct };
  });
  const user = loginName(target, options, process.env);
  await runClient('ssh', [
    ...clientOptions(target, way.namespace, options, way.direct),
    ...more,
    '--',
    user ? `${user}@${way.host}` : way.host,
    ...(options.command ? [options.command] : []),
  ]);
}

interface Resolved {
  readonly target: SshTarget;
  readonly options: Options;
  /** Further options of ssh. */
  readonly more: readonly string[];
  /** The name by which the guest's key is remembered, where that is not the host's. */
  readonly hostKeyAlias?: string;
}

/** As virtctl has it. */
const plain = (target: SshTarget, options: Options): Resolved => ({ target, options, more: [] });

/** A name alone is a VM's or a VMI's, and what the VM says of its user and key holds unless the command says more. */
async function resolveName(connection: Connection, asked: SshTarget, options: Options): Promise<Resolved> {
  const pair = await findVm(connection, asked.name);
  const { user, key } = await findLogin(connection, pair);
  const target: SshTarget = { ...asked, resource: pair.vm ? 'virtualmachines' : 'virtualmachineinstances' };
  const host = hostOf(target, connection.namespace);
  return {
    target,
    options: {
      ...options,
      ...(user && options.username === undefined && { username: user }),
      ...(key?.file && options.identityFile === undefined && { identityFile: key.file }),
    },
    more: hostKeyOptions(pair, host),
    hostKeyAlias: hostKeyAlias(pair, host),
  };
}
