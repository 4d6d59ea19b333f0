import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A key that this user can log in with. */
export interface LocalKey {
  readonly publicKey: string;
  /** The private key; without it the ssh agent has it. */
  readonly file?: string;
}

/** The keys of ~/.ssh and of the ssh agent. */
export async function localKeys(directory: string = join(homedir(), '.ssh')): Promise<LocalKey[]> {
  const names = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith('.pub'));
  const files = names.map((name) => join(directory, name));
  const ofFiles = files.map(async (file): Promise<LocalKey[]> => {
    const privateKey = file.slice(0, -'.pub'.length);
    const publicKey = await readFile(file, 'utf8').catch(() => '');
    return publicKey && existsSync(privateKey) ? [{ publicKey, file: privateKey }] : [];
  });
  return [...(await Promise.all(ofFiles)).flat(), ...(await agentKeys())];
}

const AGENT_MS = 3_000;

async function agentKeys(): Promise<LocalKey[]> {
  if (!process.env.SSH_AUTH_SOCK) return [];
  const listed = await new Promise<string>((resolve) => {
    execFile('ssh-add', ['-L'], { timeout: AGENT_MS }, (error, stdout) => resolve(error ? '' : stdout));
  });
  return listed
    .split('\n')
    .filter((line) => /^\S+ \S+/.test(line))
    .map((publicKey) => ({ publicKey }));
}
