import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { complaintsIn, complaintsSince } from './emulatorMessages.ts';

const at = '2026-11-18T07:01:41.242153Z';
const started = `2026-11-18 07:01:40.608+0000: starting up libvirt version: 9.0.0, hostname: a
LC_ALL=C \\
/usr/bin/qemu-system-x86_64 \\
-name guest=shop_web,debug-threads=on
`;

it.each([
  ['nothing', started, undefined],
  [
    'what QEMU could not load',
    `${started}${at} qemu-system-x86_64: Unknown ramblock "system.flash0", cannot accept migration
${at} qemu-system-x86_64: load of migration failed: Invalid argument
2026-11-18 07:01:41.253+0000: shutting down, reason=crashed
`,
    'Unknown ramblock "system.flash0", cannot accept migration; load of migration failed: Invalid argument',
  ],
  [
    'that it was ended',
    `${started}${at} qemu-system-aarch64: terminating on signal 15 from pid 7 (libvirtd)\n`,
    undefined,
  ],
  ['a warning', `${started}${at} qemu-system-x86_64: warning: TCG doesn't support requested feature\n`, undefined],
])('the log of a guest that did not come tells %s', (_, log, expected) => {
  expect(complaintsIn(log)).toBe(expected);
});

it('what was said of an earlier run is not taken for a complaint about this one', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-log-'));
  const path = join(directory, 'shop_web.log');
  const before = `${at} qemu-system-x86_64: no longer of interest\n`;
  await appendFile(path, before);
  const place = { path, from: before.length };
  expect(await complaintsSince(place)).toBeUndefined();
  await appendFile(path, `${started}${at} qemu-system-x86_64: out of space\n`);
  expect(await complaintsSince(place)).toBe('out of space');
  expect(await complaintsSince({ path: join(directory, 'none.log'), from: 0 })).toBeUndefined();
  await rm(directory, { recursive: true });
});
