import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const SETTINGS = '/proc/sys/net/ipv6/conf';

/** Whether this host has IPv6: the kernel has it, and nobody has switched it off, not even for new devices. */
export async function hasIpv6(settings = SETTINGS): Promise<boolean> {
  const isOn = async (device: string): Promise<boolean> =>
    (await readFile(join(settings, device, 'disable_ipv6'), 'utf8').catch(() => '1')).trim() === '0';
  return (await isOn('all')) && (await isOn('default'));
}

/**
 * Has the host forward IPv6 packets. A host that forwards forgets routers that it has learnt of by their advertisements, and
 * learns of none any more, unless the device is told to listen all the same: so devices that listen are told first.
 */
export async function forwardIpv6(settings = SETTINGS): Promise<void> {
  const read = async (device: string, name: string): Promise<string> =>
    (await readFile(join(settings, device, name), 'utf8').catch(() => '')).trim();
  if ((await read('all', 'forwarding')) !== '0') return;
  for (const device of await readdir(settings)) {
    const isListening = (await read(device, 'accept_ra')) === '1' && (await read(device, 'forwarding')) === '0';
    if (device !== 'all' && isListening) await writeFile(join(settings, device, 'accept_ra'), '2');
  }
  await writeFile(join(settings, 'all', 'forwarding'), '1');
}
