import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What opens addresses on a host with a screen; undefined on one without. */
export function browserProgram(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | undefined {
  if (platform === 'darwin') return 'open';
  return platform === 'linux' && (env.DISPLAY || env.WAYLAND_DISPLAY) ? 'xdg-open' : undefined;
}

/**
 * Opens an address in the user's browser. Every user of the host can read the arguments of a program, and the address lets
 * in whoever is first: it is handed over in a file that only this user can read. Returns what removes the file.
 */
export function openBrowser(program: string, address: string): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'vireo-dashboard-'));
  const file = join(directory, 'open.html');
  const page = `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${address}"><title>Vireo</title>`;
  writeFileSync(file, page, { mode: 0o600 });
  // Whoever sees no browser has the address on the terminal.
  spawn(program, [pathToFileURL(file).href], { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
  return () => rmSync(directory, { recursive: true, force: true });
}
