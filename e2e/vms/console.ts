import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/vireo', import.meta.url));

/** `vireo console` in a process of its own, with somebody at the keys. */
export interface Console {
  type(keys: string): void;
  /** Resolves with all that was printed once the pattern is in what came after the last match; rejects when it ends. */
  until(pattern: RegExp): Promise<string>;
  /** Leaves it as Ctrl-] does. */
  close(): Promise<void>;
}

/** Connects to the console of a VM. */
export async function openConsole(kubeconfig: string, name: string): Promise<Console> {
  const child = spawn(program, ['console', name, '--kubeconfig', kubeconfig], { stdio: 'pipe' });
  let text = '';
  let seen = 0;
  let hasEnded = false;
  const listeners = new Set<() => void>();
  const told = (): void => {
    for (const listener of listeners) listener();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      told();
    });
  }
  // Keys that are typed after its end have nobody to go to.
  child.stdin.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      hasEnded = true;
      told();
      resolve();
    });
  });
  const until = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(text.slice(seen));
        if (!match && !hasEnded) return;
        listeners.delete(look);
        if (match) {
          seen += match.index + match[0].length;
          resolve(text);
        } else reject(new Error(`the console of ${name} ended without ${pattern}:\n${text}`));
      };
      listeners.add(look);
      look();
    });
  await until(/Successfully connected to .* console.*\n/);
  return {
    type: (keys) => child.stdin.write(keys),
    until,
    close: () => {
      child.stdin.end('\x1d');
      return ended;
    },
  };
}
