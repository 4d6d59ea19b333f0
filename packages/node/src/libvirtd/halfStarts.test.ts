import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeForgottenRuns, removeHalfStarts } from './halfStarts.ts';
import { nodeLayout } from './layout.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-half-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const layout = () => nodeLayout(home, true);
const states = () => join(home, 'libvirt/run/qemu');

/** A domain as libvirt notes it while it is active. */
async function note(name: string, id: number, pid: number): Promise<void> {
  const run = `${id}-${name}`;
  const lib = join(home, 'libvirt/lib/qemu', `domain-${run}`);
  for (const directory of [lib, join(states(), 'swtpm')]) await mkdir(directory, { recursive: true });
  await writeFile(join(lib, 'master-key.aes'), 'key');
  await writeFile(join(states(), `${name}.pid`), String(pid));
  await writeFile(
    join(states(), `${name}.xml`),
    `<!--\nWARNING\n-->\n\n<domstatus state='paused' reason='starting up' pid='${pid}'>
  <monitor path='/var/lib/libvirt/qemu/domain-${run}/monitor.sock' type='unix'/>
  <job type='none' async='start' flags='0x0'/>
  <domain type='qemu' id='${id}'><name>${name}</name></domain>
</domstatus>\n`,
  );
}

it('removes what is left of starts before QEMU, and nothing of those that have one', async () => {
  await note('shop_lost', 15, 0);
  await note('shop_web', 16, 4711);
  expect(await removeHalfStarts(layout())).toEqual(['shop_lost']);
  expect((await readdir(states())).sort()).toEqual(['shop_web.pid', 'shop_web.xml', 'swtpm']);
  expect(await readdir(join(home, 'libvirt/lib/qemu'))).toEqual(['domain-16-shop_web']);
});

it('ends the TPM of a start that was lost, and no process that has its number by chance', async () => {
  await note('shop_lost', 15, 0);
  await note('shop_other', 16, 0);
  const files = ['15-shop_lost', '16-shop_other'].map((run) => join(states(), 'swtpm', `${run}-swtpm.pid`));
  const [own = '', others = ''] = files;
  const emulator = spawn('tail', ['-f', '/dev/null', own]);
  const stranger = spawn('sleep', ['600']);
  const ended = once(emulator, 'exit');
  await writeFile(own, String(emulator.pid));
  await writeFile(others, String(stranger.pid));
  await removeHalfStarts(layout());
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(stranger.kill('SIGKILL')).toBe(true);
  expect(await readdir(join(states(), 'swtpm'))).toEqual([]);
});

it('removes the directories of runs that are noted nowhere, and no others', async () => {
  const lib = join(home, 'libvirt/lib/qemu');
  await note('shop_web', 16, 4711);
  for (const name of ['domain-15-shop_web', 'domain-17-shop_gone', 'nvram'])
    await mkdir(join(lib, name), { recursive: true });
  expect((await removeForgottenRuns(layout())).sort()).toEqual(['domain-15-shop_web', 'domain-17-shop_gone']);
  expect((await readdir(lib)).sort()).toEqual(['domain-16-shop_web', 'nvram']);
});

it('has nothing to do in a home that has run no guest', async () => {
  expect(await removeHalfStarts(layout())).toEqual([]);
  expect(await removeForgottenRuns(layout())).toEqual([]);
});
