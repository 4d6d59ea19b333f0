import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A terminal of a user who goes through a page: what a command leaves behind, the next one finds. */
export interface Shell {
  /** Runs a command to its end. Its errors are among what it printed, as in a terminal. */
  run(command: string): Promise<{ readonly code: number; readonly printed: string }>;
  close(): void;
}

/** How long one command may take on a busy host. */
const LIMIT_MS = 120_000;

/**
 * A server that a page starts gets a home and a port of its own, and is stopped when it is ready: in a terminal it would
 * stay.
 */
const PRELUDE = `
set -o pipefail
until_ready() {
  VIREO_HOME=$(mktemp -d -p "$PWD" started-XXXXXX)
  export VIREO_HOME VIREO_PORT=0
  local log=$VIREO_HOME.log
  command "$@" >"$log" 2>&1 &
  until grep -q 'is ready after' "$log" || ! kill -0 $!; do sleep 0.1; done
  cat "$log"
  kill -TERM $!
  wait $!
  local code=$?
  bin/vireo down --force >/dev/null 2>&1
  return $code
}
vireo() { if [ "$1" = up ]; then (until_ready vireo "$@"); else command vireo "$@"; fi; }
npm() { if [ "$1" = start ]; then (until_ready npm "$@"); else command npm "$@"; fi; }
`;

/** Opens a shell in a directory. */
export function openShell(directory: string, env: Readonly<Record<string, string>>): Shell {
  const bash = spawn('bash', ['--noprofile', '--norc'], {
    cwd: directory,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
    // With all that it started, it can be ended as one.
    detached: true,
  });
  let ended: Error | undefined;
  bash.once('error', (error) => {
    ended = error;
  });
  bash.once('exit', (code) => {
    ended ??= new Error(`the shell ended with ${code}`);
  });
  bash.stdin.write(PRELUDE);
  const file = join(directory, '.printed');

  /** Writes a line to the shell and gives the code that it answers with. */
  const ask = (line: string): Promise<number> =>
    new Promise((resolve, reject) => {
      if (ended) return reject(ended);
      const settle = (act: () => void) => {
        clearTimeout(timer);
        bash.stdout.removeAllListeners('data');
        bash.off('exit', onExit);
        act();
      };
      const timer = setTimeout(
        () => settle(() => reject(new Error(`it took more than ${LIMIT_MS / 1000} s`))),
        LIMIT_MS,
      );
      const onExit = (code: number | null) => settle(() => reject(new Error(`the shell ended with ${code}`)));
      bash.once('exit', onExit);
      bash.stdout.once('data', (answer: Buffer) => settle(() => resolve(Number(answer.toString()))));
      bash.stdin.write(line);
    });

  return {
    async run(command) {
      const code = await ask(`{\n${command}\n} >'${file}' 2>&1 </dev/null; echo $?\n`);
      return { code, printed: await readFile(file, 'utf8') };
    },
    close() {
      if (!ended && bash.pid !== undefined) process.kill(-bash.pid, 'SIGKILL');
    },
  };
}
