import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { forwardIpv6, hasIpv6 } from './forwarding6.ts';

let settings: string;
beforeEach(async () => {
  settings = await mkdtemp(join(tmpdir(), 'vireo-forwarding-'));
});
afterEach(() => rm(settings, { recursive: true }));

const set = async (device: string, values: Readonly<Record<string, string>>): Promise<void> => {
  await mkdir(join(settings, device), { recursive: true });
  for (const [name, value] of Object.entries(values)) await writeFile(join(settings, device, name), `${value}\n`);
};
const get = async (device: string, name: string): Promise<string> =>
  (await readFile(join(settings, device, name), 'utf8')).trim();

it('a host that begins to forward goes on listening for its router', async () => {
  await set('all', { forwarding: '0', accept_ra: '1' });
  await set('default', { forwarding: '0', accept_ra: '1' });
  await set('eth0', { forwarding: '0', accept_ra: '1' });
  await set('eth1', { forwarding: '0', accept_ra: '0' });
  await forwardIpv6(settings);
  expect(await get('all', 'forwarding')).toBe('1');
  expect([await get('eth0', 'accept_ra'), await get('eth1', 'accept_ra'), await get('default', 'accept_ra')]).toEqual([
    '2',
    '0',
    '2',
  ]);
});

it('a host that forwards already stays as it is', async () => {
  await set('all', { forwarding: '1' });
  await set('eth0', { forwarding: '0', accept_ra: '1' });
  await forwardIpv6(settings);
  expect(await get('eth0', 'accept_ra')).toBe('1');
});

it('a host has IPv6 unless the kernel lacks it or somebody has switched it off', async () => {
  expect(await hasIpv6(settings)).toBe(false);
  await set('all', { disable_ipv6: '1' });
  expect(await hasIpv6(settings)).toBe(false);
  await set('all', { disable_ipv6: '0' });
  await set('default', { disable_ipv6: '1' });
  expect(await hasIpv6(settings)).toBe(false);
  await set('default', { disable_ipv6: '0' });
  expect(await hasIpv6(settings)).toBe(true);
});
