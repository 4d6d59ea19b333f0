import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The registry that Debian packages (`docker-registry`), on a free port of this host. */
export interface DebianRegistry {
  readonly host: string;
  close(): Promise<void>;
}

/** The one user of a private registry. Its password as the registry keeps it: bcrypt is not in Node. */
export const REGISTRY_USER = { username: 'reader', password: 'not-so-secret' };
const PASSWORD_FILE = 'reader:$2b$04$VtVlKIEDfSOkXkG.jM2lBe5spwVy4ujGCC2gSRsFOLCtCdJ9s4a7e\n';

export async function startDebianRegistry({ isPrivate = false } = {}): Promise<DebianRegistry> {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-registry-'));
  const passwords = join(directory, 'passwords');
  await writeFile(passwords, PASSWORD_FILE);
  const configuration = {
    version: '0.1',
    log: { accesslog: { disabled: true }, level: 'info' },
    storage: { filesystem: { rootdirectory: join(directory, 'storage') } },
    http: { addr: '127.0.0.1:0', secret: 'any' },
    ...(isPrivate && { auth: { htpasswd: { realm: 'test', path: passwords } } }),
  };
  await writeFile(join(directory, 'config.yml'), JSON.stringify(configuration));
  const child = spawn('docker-registry', ['serve', join(directory, 'config.yml')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, OTEL_TRACES_EXPORTER: 'none' },
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    await rm(directory, { recursive: true, force: true });
  };
  try {
    return { host: await addressOf(child), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, address] = /listening on (127\.0\.0\.1:\d+)/.exec(output) ?? [];
      if (address) resolve(address);
    });
    child.once('error', reject);
    child.once('close', () => reject(new Error(`docker-registry ended:\n${output}`)));
  });
}
