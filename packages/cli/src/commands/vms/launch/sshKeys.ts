import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Failure, fileProblem } from '../../../failure.ts';

const KEY_FILES = ['id_ed25519.pub', 'id_ecdsa.pub', 'id_rsa.pub'];
const PUBLIC_KEY = /^(?:ssh-|ecdsa-|sk-)\S+ \S/;

/** The key of this user, so that `ssh` simply works. */
export function defaultKeys(home: string = homedir()): string[] {
  for (const name of KEY_FILES) {
    const file = join(home, '.ssh', name);
    try {
      if (existsSync(file)) return readKeys(file);
    } catch {
      // Nobody asked for this file: one without a key is no reason to launch nothing.
    }
  }
  return [];
}

/** A public key, or those in a file. */
export function readKeys(text: string): string[] {
  if (PUBLIC_KEY.test(text)) return [text];
  const refuse = (why: string, hint: string, cause?: unknown): never => {
    throw new Failure(`--ssh-key ${text} is neither a public key nor a file that contains one: ${why}`, hint, {
      cause,
    });
  };
  let content = '';
  try {
    content = readFileSync(text, 'utf8');
  } catch (error) {
    refuse(fileProblem(error), 'To create a key: ssh-keygen -t ed25519', error);
  }
  if (content.includes('PRIVATE KEY')) refuse('it is a private key', `Use the public key in ${text}.pub`);
  const keys = content.split('\n').map((line) => line.trim());
  const found = keys.filter((line) => line !== '' && !line.startsWith('#'));
  const wrong = found.find((line) => !PUBLIC_KEY.test(line));
  if (found.length === 0 || wrong !== undefined)
    refuse(
      'a public key starts with its type, such as ssh-ed25519 or ssh-rsa',
      'To create a key: ssh-keygen -t ed25519',
    );
  return found;
}
