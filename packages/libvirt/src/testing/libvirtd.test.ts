import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { eventually } from './eventually.ts';

const owner = `
  const { TestLibvirtd } = await import(${JSON.stringify(new URL('libvirtd.ts', import.meta.url).href)});
  const { guestXml, writeGuestDisk } = await import(${JSON.stringify(new URL('guest.ts', import.meta.url).href)});
  const daemon = await TestLibvirtd.start();
  const libvirt = await daemon.connect();
  await libvirt.createDomain(guestXml('orphan', await writeGuestDisk(daemon.directory)));
  console.log(daemon.directory);
  setInterval(() => {}, 1000);`;

/** Processes that mention the directory. */
async function processesOf(directory: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return commands.filter((command) => command.includes(directory));
}

it('leaves no process and no file behind when its owner is killed', async () => {
  const program = spawn(process.execPath, ['--input-type=module', '--eval', owner], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = (await once(program.stdout, 'data')) as [Buffer];
  const directory = output.toString().trim();
  expect(existsSync(directory)).toBe(true);
  expect((await processesOf(directory)).some((command) => command.includes('qemu'))).toBe(true);
  program.kill('SIGKILL');
  await eventually('all files are gone', () => !existsSync(directory));
  await eventually('all processes are gone', async () => (await processesOf(directory)).length === 0);
});
