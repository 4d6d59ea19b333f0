import { expect, it, vi } from 'vitest';
import { untilFound } from './mount.ts';

const failed = (stderr: string) => ({ exited: true, exitCode: 32, stderr: Buffer.from(stderr).toString('base64') });
const mounted = { exited: true, exitCode: 0 };
const UNKNOWN = 'mount: mounting hd on /mnt failed: Invalid argument';

const tries = async (...statuses: object[]) => {
  let waitedMs = 0;
  const run = vi.fn(async () => (statuses.length > 1 ? statuses.shift() : statuses[0]) as never);
  const status = await untilFound(run, async (ms) => {
    waitedMs += ms;
  });
  return { status, count: run.mock.calls.length, waitedMs };
};

it('a directory that the guest has not found yet is mounted again', async () => {
  const late = 'mount: /mnt: wrong fs type, bad option, bad superblock on hd.';
  expect(await tries(failed(UNKNOWN), failed(late), mounted)).toEqual({ status: mounted, count: 3, waitedMs: 750 });
});

it('a directory that the guest never finds is an error after ten seconds', async () => {
  expect(await tries(failed(UNKNOWN))).toMatchObject({ status: failed(UNKNOWN), waitedMs: 10_000 });
});

it('any other error is told at once', async () => {
  const status = failed("mount: unknown filesystem type 'virtiofs'");
  expect(await tries(status)).toEqual({ status, count: 1, waitedMs: 0 });
});
