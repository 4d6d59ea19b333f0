import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '@vireo/network';

/** A network device of this host. */
export interface HostDevice {
  readonly isBridge: boolean;
  readonly isUp: boolean;
  readonly mtu: number;
  /** Says whose it is. */
  readonly alias: string;
  /** Of a bridge: what is connected to it. */
  readonly ports: readonly { readonly name: string; readonly mtu: number }[];
  /** Of a bridge: whether it keeps VLANs apart; undefined where the kernel cannot. */
  readonly filtersVlans?: boolean;
  /** Its addresses of both families, with the lengths of their prefixes, where they were asked for. */
  readonly addresses: readonly string[];
}

const DEVICES = '/sys/class/net';
const IFF_UP = 1;

/** What the kernel tells of a device; undefined where there is none. Only addresses take a program's help. */
export async function readHostDevice(name: string, { withAddresses = false } = {}): Promise<HostDevice | undefined> {
  const directory = join(DEVICES, name);
  if (!(await exists(directory))) return undefined;
  const text = async (file: string): Promise<string> => (await read(join(directory, file))) ?? '';
  const filtering = await read(join(directory, 'bridge', 'vlan_filtering'));
  const ports = await readdir(join(directory, 'brif')).catch(() => []);
  return {
    isBridge: await exists(join(directory, 'bridge')),
    isUp: (Number(await text('flags')) & IFF_UP) !== 0,
    mtu: Number(await text('mtu')),
    alias: await text('ifalias'),
    ports: await Promise.all(
      ports.map(async (port) => ({ name: port, mtu: Number(await read(join(DEVICES, port, 'mtu'))) })),
    ),
    ...(filtering !== undefined && { filtersVlans: filtering === '1' }),
    addresses: withAddresses ? await readAddresses(name) : [],
  };
}

async function readAddresses(name: string): Promise<string[]> {
  const [link] = JSON.parse((await run('ip', ['-j', 'addr', 'show', 'dev', name, 'scope', 'global'])) || '[]') as {
    addr_info?: { local: string; prefixlen: number }[];
  }[];
  return (link?.addr_info ?? []).map(({ local, prefixlen }) => `${local}/${prefixlen}`);
}

const read = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
