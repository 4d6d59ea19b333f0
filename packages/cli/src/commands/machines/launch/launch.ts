import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { formatDuration } from '../../../duration.ts';
import { Failure } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import { type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { randomSuffix } from '../create/manifest.ts';
import { orFail } from '../refusal.ts';
import { GUEST, launched } from './image.ts';
import { launchedMachine, type Progress, progressOf } from './machine.ts';

interface LaunchOptions extends ConnectionOptions {
  readonly memory: string;
  readonly cpus: number;
  readonly user: string;
  readonly sshKey?: readonly string[];
  readonly password?: string;
  readonly wait: boolean;
  readonly console?: boolean;
  readonly timeout: number;
}

/** Makes a machine, waits until it runs and says how to reach it. */
export async function launch(first: string | undefined, second: string | undefined, options: LaunchOptions) {
  const { image, name = `vm-${randomSuffix()}` } = launched(first, second);
  const sshKeys = options.sshKey?.map(readKey) ?? defaultKeys();
  // Our own image knows no other way in; of others the owner may have said how.
  const password = options.password ?? (sshKeys.length === 0 || image === GUEST ? 'vireo' : undefined);
  await connected(options, async (connection) => {
    const { namespace } = connection;
    const machine = launchedMachine({ ...options, image, name, namespace, sshKeys, ...(password && { password }) });
    const created = await orFail(
      connection,
      (why) => `cannot launch ${name}: ${why}`,
      () => connection.client.of(VirtualMachine).create(machine),
    );
    console.log(`Created virtual machine ${namespace}/${name} from ${image}.`);
    if (options.wait || options.console) await untilUp(connection, created, options.timeout * 1_000);
    if (!options.console) console.log(waysIn({ name, user: options.user, namespace: options.namespace, password }));
  });
  if (options.console) await (await import('../console.ts')).serialConsole(name, { ...options, timeout: 5 });
}

/** Shows each step once, with its cause where there is one. */
async function untilUp(connection: Connection, created: Vm, timeoutMs: number): Promise<void> {
  const startedAt = performance.now();
  let last: Progress = { status: '', isUp: false };
  const signal = AbortSignal.timeout(timeoutMs);
  for await (const machine of versionsOf(connection, created, signal)) {
    const now = progressOf(machine);
    if (now.status !== last.status || now.cause !== last.cause) {
      const after = now.isUp ? ` after ${formatDuration(performance.now() - startedAt)}` : '';
      console.log(`  ${now.status}${after}${now.cause ? `: ${now.cause}` : ''}`);
    }
    last = now;
    if (now.isUp) return;
  }
  const name = created.metadata.name;
  throw new Failure(
    `${name} does not run yet: ${last.status}${last.cause ? `: ${last.cause}` : ''}`,
    `See more: kubectl describe vm ${name} -n ${connection.namespace}. Wait longer with --timeout SECONDS.`,
  );
}

/** The machine as it is now and whenever it changes, until time is up. */
async function* versionsOf(
  connection: Connection,
  { metadata }: Vm,
  signal: AbortSignal,
): AsyncGenerator<VirtualMachine, void> {
  const { namespace } = connection;
  const machines = connection.client.of(VirtualMachine);
  const name = metadata.name;
  while (!signal.aborted) {
    const current = await orFail(
      connection,
      (why) => `${name} cannot be watched: ${why}`,
      () => machines.get(name, { namespace }),
    );
    yield current;
    try {
      const { resourceVersion } = current.metadata;
      const options = { namespace, fieldSelector: `metadata.name=${name}`, resourceVersion, signal };
      for await (const event of await machines.watch(options)) {
        if (event.type === 'ADDED' || event.type === 'MODIFIED') yield event.object;
      }
    } catch (error) {
      // A watch that broke is opened again; asking for the machine first shows whether the server still answers.
      if (!signal.aborted && error instanceof Failure) throw error;
    }
  }
}

const KEY_FILES = ['id_ed25519.pub', 'id_ecdsa.pub', 'id_rsa.pub'];

/** The keys of this user, so that `ssh` simply works. */
function defaultKeys(): string[] {
  const files = KEY_FILES.map((file) => join(homedir(), '.ssh', file)).filter((file) => existsSync(file));
  return files.slice(0, 1).map(readKey);
}

/** A key, or the file that holds it. */
function readKey(text: string): string {
  if (/^(?:ssh-|ecdsa-|sk-)\S+ /.test(text)) return text;
  try {
    return readFileSync(text, 'utf8').trim();
  } catch (error) {
    throw new Failure(
      `--ssh-key ${text} is neither a public key nor a file with one: ${error instanceof Error ? error.message : error}`,
      'Make a key with: ssh-keygen -t ed25519',
    );
  }
}

interface Reached {
  readonly name: string;
  readonly user: string;
  readonly namespace?: string;
  readonly password?: string;
}

function waysIn({ name, user, namespace, password }: Reached): string {
  const inNamespace = namespace ? ` -n ${namespace}` : '';
  const ways = [
    [`${programName} console ${name}${inNamespace}`, 'the serial console; leave with Ctrl-]'],
    [`${programName} ssh ${user}@vm/${name}${inNamespace}`, 'a shell, once the guest has booted'],
    [`${programName} stop ${name}${inNamespace}`, 'shut it down'],
    [`kubectl delete vm ${name}${inNamespace}`, 'remove it'],
  ] as const;
  const width = Math.max(...ways.map(([command]) => command.length));
  return [
    `Log in as ${user}${password ? ` with password ${password}` : ' with your ssh key'}:`,
    ...ways.map(([command, meaning]) => `  ${command.padEnd(width)}  # ${meaning}`),
  ].join('\n');
}
