import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { useVms } from './fixture.ts';
import { guestsOf } from './leftovers.ts';
import { vm } from './manifests.ts';

const { home, server, libvirtdPid, untilStatus, clear, create } = useVms();

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${prefix}-${at}`);

/** So that they all fit on two processors. */
const SMALL = { cpuRequest: '10m' };

it('fifteen guests at once start, run and go', async () => {
  const all = names('many', 15);
  await create(...all.map((name) => vm(name, SMALL)));
  await untilStatus(all, 'Running');
  expect(await guestsOf(home())).toHaveLength(15);
  await clear();
}, 180_000);

/** What a process and the home hold. */
async function holdings() {
  const { pid } = JSON.parse(await readFile(`${home()}/server.json`, 'utf8')) as { pid: number };
  const descriptors = async (of: number): Promise<number> => (await readdir(`/proc/${of}/fd`)).length;
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return {
    residentMegabytes: Number(kilobytes) / 1024,
    descriptors: await descriptors(pid),
    libvirtdDescriptors: await descriptors(await libvirtdPid()),
    // The store is a log of fixed size in the long run; what kubectl caches is not ours.
    files: (await readdir(home(), { recursive: true })).filter((path) => !/^(store\.db|kubectl-cache)/.test(path))
      .length,
  };
}

async function round(count: number): Promise<void> {
  const all = names('cycle', count);
  await create(...all.map((name) => vm(name, SMALL)));
  await untilStatus(all, 'Running');
  await clear();
}

/** After the guests above. A thousand lives and deaths are what `npm run soak` looks at. */
it('twenty guests that come and go leave memory, descriptors and disk where they were', async () => {
  const before = await holdings();
  for (let cycles = 0; cycles < 20; cycles += 10) await round(10);
  const after = await holdings();
  expect(after.files).toBe(before.files);
  // Connections of kubectl come and go; a leak of one for each guest would be twenty.
  expect(after.descriptors).toBeLessThan(before.descriptors + 10);
  expect(after.libvirtdDescriptors).toBeLessThan(before.libvirtdDescriptors + 10);
  expect(after.residentMegabytes).toBeLessThan(before.residentMegabytes + 100);
  expect(server().output()).not.toMatch(/^(error:|\S+ error )/im);
}, 240_000);
