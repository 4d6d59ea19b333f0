import { spawn } from 'node:child_process';

/**
 * Runs a command and collects what it prints. Rejects only when it cannot be started. A child that dies of a signal has
 * failed; only what the user sent to this process ends it, too.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {Promise<{ code: number, signal?: NodeJS.Signals, stdout: string, stderr: string, output: string }>}
 *   `output` is both, as they came
 */
export function capture(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const text = { stdout: '', stderr: '', output: '' };
    for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
      child[name].setEncoding('utf8').on('data', (chunk) => {
        text[name] += chunk;
        text.output += chunk;
      });
    }
    const release = forwardSignals(child);
    child.once('error', (error) => {
      release();
      reject(error);
    });
    child.once('close', (code, signal) => {
      // A child told to stop may report it as an ordinary failure; what the user asked for counts.
      const stoppedBy = release();
      if (stoppedBy) endBySignal(stoppedBy);
      else resolve({ code: code ?? 1, ...(signal && { signal }), ...text });
    });
  });
}

/**
 * Runs a command in the foreground with our terminal and resolves with its exit code. A child that dies of a signal
 * takes this process with it in the same way, so that the caller sees what happened.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, tellWhenParentDies?: boolean }} [options]
 *   `tellWhenParentDies`: open an IPC channel, whose end tells the child even when this process is killed outright
 * @returns {Promise<number>}
 */
export function runInForeground(command, args, { tellWhenParentDies = false, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...options,
      stdio: tellWhenParentDies ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
    });
    const release = forwardSignals(child);
    child.once('error', (error) => {
      release();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      release();
      if (signal) endBySignal(signal);
      else resolve(code ?? 1);
    });
  });
}

/**
 * Hands the signals that end a program on to the child, and waits for it instead of dying first. Returns how to stop
 * doing so, which tells the first signal that came.
 */
function forwardSignals(child) {
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  /** @type {NodeJS.Signals | undefined} */
  let received;
  const forward = (/** @type {NodeJS.Signals} */ signal) => {
    received ??= signal;
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
    return received;
  };
}

function endBySignal(/** @type {NodeJS.Signals} */ signal) {
  process.kill(process.pid, signal);
}
