import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { exists } from '../exists.ts';

const run = promisify(execFile);

/** Whether systemd runs this host: all groups are its own then, and others are given away by it. */
export const isSystemdRunning = (): Promise<boolean> => exists('/run/systemd/system');

/** Where virtual machines are on hosts with systemd. */
export const UNIT_SLICE = 'machine.slice';

/**
 * Has a unit run whose group systemd leaves to us. It is no part of the unit that Vireo itself runs in, so guests go on
 * when that is stopped. Whoever stops this one ends a process that does nothing, and no guest.
 */
export async function ensureUnit(unit: string, description: string): Promise<void> {
  if (await isActive(unit)) return;
  const properties = [`Description=${description}`, 'Delegate=yes', 'KillMode=process'];
  await run('systemd-run', [
    '--quiet',
    '--collect',
    `--unit=${unit}`,
    `--slice=${UNIT_SLICE}`,
    ...properties.map((property) => `--property=${property}`),
    'sleep',
    'infinity',
  ]);
}

/** Stops the unit. Processes that are still in it stay. */
export async function stopUnit(unit: string): Promise<void> {
  if (await isActive(unit)) await run('systemctl', ['stop', unit]);
}

const isActive = (unit: string): Promise<boolean> =>
  run('systemctl', ['--quiet', 'is-active', unit]).then(
    () => true,
    () => false,
  );
