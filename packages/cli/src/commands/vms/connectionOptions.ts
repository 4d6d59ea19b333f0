import { existsSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { defaultHome } from '../../options.ts';
import { programName } from '../../programName.ts';
import { readServerRecord } from '../../serverRecord.ts';

/** Which server a command speaks to and as whom, as kubectl and virtctl are told. */
export interface ConnectionOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly cluster?: string;
  /** `--user`: some commands have a `--user` of their own. */
  readonly kubeconfigUser?: string;
  readonly server?: string;
  readonly token?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly asUid?: string;
  readonly certificateAuthority?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  readonly requestTimeout?: number;
  /** How much is told on standard error; from 6 on, every request. */
  readonly v?: number;
}

/** An option whose value is kept under another name than its flag's. */
class RenamedOption extends Option {
  readonly #attribute: string;
  constructor(flags: string, attribute: string, description: string) {
    super(flags, description);
    this.#attribute = attribute;
  }
  override attributeName(): string {
    return this.#attribute;
  }
}

/** Those that a command's own help shows. The others are listed by `vireo options`. */
const shownOptions = (): Option[] => [
  new Option('--kubeconfig <file>', 'kubeconfig file (default: $KUBECONFIG, then the home’s, then ~/.kube/config)'),
  new Option('--context <name>', 'kubeconfig context to use'),
  new Option('-n, --namespace <name>', 'namespace to use (default: the context’s)'),
];

/** All options that say which server is meant. */
export const connectionOptions = (): Option[] => [
  ...shownOptions(),
  new Option('--cluster <name>', 'kubeconfig cluster to use instead of the context’s'),
  new RenamedOption('--user <name>', 'kubeconfigUser', 'kubeconfig user to use instead of the context’s'),
  new Option('-s, --server <address>', 'address of the Kubernetes API server'),
  new Option('--token <token>', 'bearer token to authenticate with; the kubeconfig’s credentials are then ignored'),
  new Option('--as <name>', 'user to impersonate'),
  new Option('--as-group <name>', 'group to impersonate; can be repeated').argParser(
    (group: string, before: readonly string[] = []) => [...before, group],
  ),
  new Option('--as-uid <uid>', 'UID to impersonate'),
  new Option('--certificate-authority <file>', 'CA certificate to verify the server with'),
  new Option('--client-certificate <file>', 'client certificate to authenticate with'),
  new Option('--client-key <file>', 'private key of the client certificate'),
  new Option('--insecure-skip-tls-verify', 'accept any server certificate; this makes the connection insecure'),
  new Option('--tls-server-name <name>', 'server name to expect in the server’s certificate'),
  new Option('--request-timeout <duration>', 'time limit for each request: 30s, 2m, 1h; 0 means no limit').argParser(
    parseTimeout,
  ),
  new Option('-v, --v <level>', 'log level on standard error; 6 shows every request').argParser(parseLevel),
];

/** Adds the options to a command that speaks to a server, but for those whose flag has another meaning there. */
export function withConnection(command: Command, ownFlags: readonly string[] = []): Command {
  const shown = new Set(shownOptions().map(({ long }) => long));
  for (const option of connectionOptions()) {
    if (!ownFlags.includes(option.long ?? '')) command.addOption(option.hideHelp(!shown.has(option.long)));
  }
  return command.addHelpText(
    'after',
    `\nUse "${programName} options" for a list of global command-line options (applies to all commands).`,
  );
}

/**
 * virtctl takes these options before the command as well (`virtctl -n web start db`). Commands that have no use for
 * them refuse them there too.
 */
export function acceptConnectionAnywhere(program: Command): void {
  program.enablePositionalOptions();
  for (const option of connectionOptions()) program.addOption(option.hideHelp());
  program.hook('preAction', (_, command) => {
    const known = new Set(command.options.map((option) => option.attributeName()));
    for (const option of connectionOptions()) {
      const isGiven = program.getOptionValueSource(option.attributeName()) !== undefined;
      // A command that has its own meaning for a flag still speaks to a server. Roles and `status` take a kubeconfig, too,
      // but nothing else of these.
      if (isGiven && !known.has('context')) command.error(`error: unknown option '${option.long}'`);
    }
  });
}

/** What was given to a command and, before it, to the program. The nearer one counts. */
export function given<T extends object = ConnectionOptions>(command: Command): T {
  const above = command.parent ? given(command.parent) : {};
  return { ...above, ...command.opts() } as T;
}

/** The one file to read, or undefined to look where kubectl looks. */
export function kubeconfigFile(
  { kubeconfig }: ConnectionOptions,
  env: NodeJS.ProcessEnv,
  { exists = existsSync, isRunning = (home: string) => readServerRecord(home) !== undefined } = {},
): string | undefined {
  if (kubeconfig) return kubeconfig;
  if (env.KUBECONFIG) return undefined;
  const userHome = env.HOME ?? homedir();
  const home = env.VIREO_HOME || defaultHome({ isRoot: userInfo().uid === 0, homeDirectory: userHome });
  const ofHome = join(home, 'kubeconfig');
  if (!exists(ofHome)) return undefined;
  // A server that was stopped long ago must not hide the cluster that kubectl speaks to.
  const isMeant = Boolean(env.VIREO_HOME) || isRunning(home) || !exists(join(userHome, '.kube', 'config'));
  return isMeant ? ofHome : undefined;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** A time as kubectl takes it, in milliseconds: `30`, `30s`, `1m30s`; 0 is for ever. */
export function parseTimeout(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  const isWhole = /^\d+$/.test(text) || (parts.length > 0 && parts.map(([part]) => part).join('') === text);
  if (!isWhole) throw new InvalidArgumentError('Expected a duration such as 30s, 2m or 1h, or a number of seconds.');
  const ms =
    parts.length > 0
      ? parts.reduce((sum, [, n, unit = 's']) => sum + Number(n) * (UNITS[unit] ?? 0), 0)
      : Number(text) * 1_000;
  return ms === 0 ? FOREVER_MS : ms;
}

/** The longest that a timer takes. */
const FOREVER_MS = 2_147_483_647;

function parseLevel(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Expected a number from 0 to 10.');
  return Number(text);
}
