import { Failure, TIMED_OUT } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import { connected } from '../connection.ts';
import { findVm } from '../findVm.ts';
import { requireRunning } from '../requireRunning.ts';
import { answersSsh, type GuestSshOptions, guestSsh, waitForSsh } from '../ssh/guestSsh.ts';
import { runClient } from '../ssh/localClient.ts';

export interface ShellOptions extends GuestSshOptions {
  readonly console?: boolean;
  /** Seconds to wait for the ssh server of a guest that has a key. */
  readonly timeout: number;
}

/** Logs in to a guest by ssh; where that cannot be, connects to its console. */
export async function shell(user: string | undefined, name: string, options: ShellOptions): Promise<void> {
  const way = await connected(options, async (connection) => {
    const pair = await findVm(connection, name);
    requireRunning(pair);
    if (options.console) return { reason: '' };
    const ssh = await guestSsh(connection, pair, { ...options, ...(user && { username: user }) });
    const hasAsked = Boolean(user ?? options.username ?? options.identityFile);
    if (!ssh.hasKey && !hasAsked)
      return { reason: `VM ${name} does not accept any ssh key of this host`, login: ssh.login };
    if (await answersSsh(connection, pair)) return { ssh };
    console.error(`Waiting for ssh in ${name} …`);
    if (await waitForSsh(connection, pair, options.timeout * 1_000)) return { ssh };
    if (hasAsked)
      throw new Failure(
        `ssh in ${name} did not respond within ${options.timeout} s`,
        `Is an ssh server running in the guest? To check its console: ${programName} console ${name} -n ${connection.namespace}`,
        { exitCode: TIMED_OUT },
      );
    return { reason: `The ssh server of VM ${name} did not respond within ${options.timeout} s`, login: ssh.login };
  });
  if (way.ssh) return runClient('ssh', [...way.ssh.args, '--', way.ssh.host]);
  const { login, reason } = way;
  if (reason) console.error(`${reason}: connecting to its serial console instead.`);
  if (login?.user) console.error(`Log in as ${login.user}${login.hasPassword ? ' with the VM’s password' : ''}.`);
  await (await import('../console.ts')).serialConsole(name, { ...options, timeout: CONSOLE_MINUTES });
}

const CONSOLE_MINUTES = 1;
