import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Clock, systemClock } from './clock.ts';
import type { CredentialSource, Credentials } from './credentials.ts';
import type { Fields } from './kubeconfigFile.ts';

/** A program that prints credentials, as `users[].user.exec` of a kubeconfig describes it. */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string;
  /** Told to the program when it asked for it (`provideClusterInfo`). */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
/** Credentials are replaced this long before they expire, so that none expires on its way. */
const MARGIN_MS = 10_000;

export function readExec(exec: Fields, cluster: Fields): ExecPlugin {
  const apiVersion = exec.requiredText('apiVersion');
  if (!API_VERSIONS.includes(apiVersion))
    throw exec.error('apiVersion', `"${apiVersion}" is not supported; use ${API_VERSIONS[0]}`);
  const command = exec.requiredText('command');
  if (exec.text('interactiveMode') === 'Always')
    throw exec.error('interactiveMode', 'Always is not supported, because the plug-in gets no terminal');
  return {
    apiVersion,
    // As in kubectl: a path is relative to the file, a bare name is looked up in PATH.
    command: command.includes('/') ? resolve(exec.directory, command) : command,
    args: exec.texts('args'),
    env: Object.fromEntries(exec.list('env').map((pair) => [pair.requiredText('name'), pair.text('value') ?? ''])),
    installHint: exec.text('installHint'),
    ...(exec.flag('provideClusterInfo') && { cluster: clusterInfo(cluster) }),
  };
}

const clusterInfo = (cluster: Fields): Record<string, unknown> => ({
  server: cluster.requiredText('server'),
  'tls-server-name': cluster.text('tls-server-name'),
  'insecure-skip-tls-verify': cluster.flag('insecure-skip-tls-verify') || undefined,
  'certificate-authority-data': cluster.text('certificate-authority-data'),
});

interface Printed {
  readonly credentials: Credentials;
  readonly expiresAt: number;
}

/** Runs the program when credentials are needed, and again when they expired or were refused; never twice at a time. */
export function execCredentials(plugin: ExecPlugin, clock: Clock = systemClock): CredentialSource {
  let current: Promise<Printed> | undefined;
  return {
    async get() {
      current ??= run(plugin);
      const running = current;
      try {
        const { credentials, expiresAt } = await running;
        if (clock.now() < expiresAt - MARGIN_MS) return credentials;
      } catch (error) {
        if (current === running) current = undefined;
        throw error;
      }
      // Expired: of all who find out at the same time, the first starts the program.
      if (current === running) current = run(plugin);
      return (await (current ?? run(plugin))).credentials;
    },
    reject() {
      current = undefined;
    },
  };
}

async function run(plugin: ExecPlugin): Promise<Printed> {
  const { apiVersion, command, args, env, cluster, installHint } = plugin;
  const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false, cluster } };
  let stdout: string;
  try {
    const options = { env: { ...process.env, ...env, KUBERNETES_EXEC_INFO: JSON.stringify(info) } };
    ({ stdout } = await promisify(execFile)(command, [...args], options));
  } catch (error) {
    const hint = (error as NodeJS.ErrnoException).code === 'ENOENT' && installHint ? `\n${installHint}` : '';
    throw new Error(`the credential plug-in ${command} failed: ${(error as Error).message}${hint}`, { cause: error });
  }
  return readPrinted(stdout, plugin);
}

interface ExecStatus {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
  readonly expirationTimestamp?: string;
}

function readPrinted(stdout: string, { command, apiVersion }: ExecPlugin): Printed {
  const fail = (problem: string) => new Error(`the credential plug-in ${command} printed ${problem}`);
  let printed: { apiVersion?: unknown; kind?: unknown; status?: ExecStatus } | null;
  try {
    printed = JSON.parse(stdout);
  } catch {
    throw fail('no JSON');
  }
  if (printed?.kind !== 'ExecCredential' || printed.apiVersion !== apiVersion)
    throw fail(`something other than an ExecCredential of ${apiVersion}`);
  const { token, clientCertificateData: certificate, clientKeyData: key, expirationTimestamp } = printed.status ?? {};
  if (!token && !certificate) throw fail('neither a token nor a certificate');
  if (Boolean(certificate) !== Boolean(key)) throw fail('a certificate or a key without the other');
  const expiresAt = expirationTimestamp ? Date.parse(expirationTimestamp) : Number.POSITIVE_INFINITY;
  if (Number.isNaN(expiresAt)) throw fail(`an expirationTimestamp that is not a valid time: "${expirationTimestamp}"`);
  return { credentials: { token, certificate, key }, expiresAt };
}
