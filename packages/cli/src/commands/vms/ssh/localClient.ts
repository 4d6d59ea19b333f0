import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { errorCode, Failure, TIMED_OUT } from '../../../failure.ts';
import { shellWord } from '../../readyText.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { connectionOptions } from '../connectionOptions.ts';
import type { SshTarget } from './target.ts';

export interface SshOptions extends ConnectionOptions {
  readonly username?: string;
  readonly port: number;
  readonly identityFile?: string;
  readonly knownHosts: string;
  readonly localSshOpts?: readonly string[];
}

/** The file that Node runs as this program. */
const entry = fileURLToPath(new URL('../../../main.ts', import.meta.url));

/** A guest as ssh's known_hosts names it: `vmi.web.lab`. */
export function hostOf({ resource, name }: SshTarget, namespace: string): string {
  return `${resource === 'virtualmachines' ? 'vm' : 'vmi'}.${name}.${namespace}`;
}

/** As whom to log in: as the target says, else the flag, else this host's user. */
export function loginName(target: SshTarget, { username }: SshOptions, env: NodeJS.ProcessEnv): string | undefined {
  return target.user ?? username ?? (env.USER || env.USERNAME || env.LOGNAME || undefined);
}

/** The options that lead ssh and scp to a guest: to its address where that answers, through the API otherwise. */
export function clientOptions(target: SshTarget, namespace: string, options: SshOptions, direct?: DirectWay): string[] {
  return [
    ...(direct
      ? directOptions(direct, options.port)
      : ['-o', `ProxyCommand=${proxyCommand(target, namespace, options)}`]),
    ...(options.localSshOpts ?? []),
    ...['-o', `UserKnownHostsFile="${options.knownHosts}"`],
    ...(options.identityFile ? ['-i', options.identityFile] : []),
  ];
}

/** A guest whose address this host reaches. */
export interface DirectWay {
  readonly address: string;
  /** The name by which its key is remembered: the same as through the API. */
  readonly hostKeyAlias: string;
}

/** No host in between that the user's settings may name, and no key that another guest had at this address. */
const directOptions = ({ address, hostKeyAlias }: DirectWay, port: number): string[] =>
  [
    'ProxyCommand=none',
    `HostName=${address}`,
    `Port=${port}`,
    `HostKeyAlias=${hostKeyAlias}`,
    'CheckHostIP=no',
  ].flatMap((option) => ['-o', option]);

/**
 * What ssh runs to reach the guest. ssh hands it to a shell and replaces what follows a percent sign, so every word is
 * quoted: names come from users.
 */
export function proxyCommand(target: SshTarget, namespace: string, options: SshOptions): string {
  const type = target.resource === 'virtualmachines' ? 'vm' : 'vmi';
  const words = [
    ...[process.execPath, ...process.execArgv, entry],
    ...['port-forward', '--stdio=true', ...connectionFlags(options)],
    ...[`${type}/${target.name}/${namespace}`, String(options.port)],
  ];
  return words.map(shellWord).join(' ').replaceAll('%', '%%');
}

/** The flags that lead another run of this program to the same server. */
function connectionFlags(options: ConnectionOptions): string[] {
  const values = options as Readonly<Record<string, unknown>>;
  return connectionOptions().flatMap((option) => {
    const value = values[option.attributeName()];
    // The namespace is in the target, and a time-out is for requests, not for sessions.
    if (value === undefined || ['namespace', 'requestTimeout', 'v'].includes(option.attributeName())) return [];
    if (value === true) return [`${option.long}`];
    return [value].flat().map((each) => `${option.long}=${each}`);
  });
}

interface ClientRun {
  /** What it reads instead of standard input. */
  readonly input?: Buffer;
  readonly timeoutSeconds?: number;
}

/** Runs ssh or scp in this terminal, and ends as it ends. */
export async function runClient(
  program: 'ssh' | 'scp',
  args: readonly string[],
  { input, timeoutSeconds }: ClientRun = {},
): Promise<void> {
  const child = spawn(program, args, { stdio: [input ? 'pipe' : 'inherit', 'inherit', 'inherit'] });
  child.stdin?.on('error', () => {}).end(input);
  let isLate = false;
  const timer =
    timeoutSeconds === undefined
      ? undefined
      : setTimeout(() => {
          isLate = true;
          child.kill();
        }, timeoutSeconds * 1_000);
  // Ctrl-C is for the guest; ssh gets it from the terminal as well.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  try {
    process.exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? (signal ? 255 : 0)));
    });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new Failure(`${program} was not found on the PATH`, 'To install it on Debian: apt install openssh-client');
  } finally {
    process.off('SIGINT', ignore);
    clearTimeout(timer);
  }
  if (isLate)
    throw new Failure(`${program} was still running after ${timeoutSeconds} s`, undefined, { exitCode: TIMED_OUT });
}
