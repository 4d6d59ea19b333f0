import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { consoleLog } from '@vireo/kube';
import { type NodeLink, type NodeNetwork, nodesDirectory, PREFIX_LENGTH, planNetwork } from './plan.ts';

const run = promisify(execFile);

/** Runs `ip`; what it complains of is the error. */
async function ip(...words: string[]): Promise<string> {
  try {
    return (await run('ip', words)).stdout;
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    throw new Error(`ip ${words.join(' ')}: ${stderr.trim() || message}`, { cause: error });
  }
}

const json = async <T>(...words: string[]): Promise<T[]> => JSON.parse((await ip('-j', ...words)) || '[]') as T[];

const fileOf = (home: string): string => join(nodesDirectory(home), 'network');

/** The network for the nodes of a home; undefined, with the reason in the log, where this process may make none. */
export async function findNetwork(home: string): Promise<NodeNetwork | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  try {
    const routes = await json<{ dst?: string }>('-4', 'route', 'show', 'table', 'all');
    const before = await subnetOf(home);
    const { bridge } = planNetwork(home, [], before);
    const ownRoutes = await json<{ dst?: string }>('-4', 'route', 'show', 'table', 'all', 'dev', bridge).catch(
      () => [],
    );
    const own = new Set(ownRoutes.map(({ dst }) => dst));
    const taken = routes.flatMap(({ dst }) => (dst && !own.has(dst) ? [dst] : []));
    return planNetwork(home, taken, before);
  } catch (error) {
    consoleLog.warn('further nodes share the network of this host', undefined, { error });
    return undefined;
  }
}

/** Makes the bridge of a home's nodes, or what is missing of it. */
export async function ensureNetwork(home: string, { bridge, gateway, subnet, table }: NodeNetwork): Promise<void> {
  await mkdir(nodesDirectory(home), { recursive: true, mode: 0o700 });
  await writeFile(fileOf(home), `${subnet}\n`, { mode: 0o600 });
  if (!(await exists(bridge))) await ip('link', 'add', bridge, 'type', 'bridge');
  await ip('addr', 'replace', `${gateway}/${PREFIX_LENGTH}`, 'dev', bridge);
  await ip('link', 'set', bridge, 'up');
  await masquerade({ bridge, subnet, table }).catch((error: unknown) =>
    consoleLog.warn('further nodes reach this host only: they can pull no images', undefined, { error }),
  );
}

/** Connects a node's namespace to the bridge, or what is missing of that. */
export async function ensureLink({ bridge, gateway }: NodeNetwork, link: NodeLink): Promise<void> {
  const { namespace, hostEnd, address } = link;
  const namespaces = await json<{ name: string }>('netns', 'list');
  if (!namespaces.some(({ name }) => name === namespace)) await ip('netns', 'add', namespace);
  if (!(await exists(hostEnd)))
    await ip('link', 'add', hostEnd, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
  await ip('link', 'set', hostEnd, 'master', bridge, 'up');
  await ip('-n', namespace, 'addr', 'replace', `${address}/${PREFIX_LENGTH}`, 'dev', 'eth0');
  for (const name of ['lo', 'eth0']) await ip('-n', namespace, 'link', 'set', name, 'up');
  await ip('-n', namespace, 'route', 'replace', 'default', 'via', gateway);
}

/** Removes the network of a home's nodes and all that is connected to it. What is not there is no error. */
export async function removeNetworkOf(home: string): Promise<void> {
  const subnet = await subnetOf(home);
  if (subnet === undefined || process.getuid?.() !== 0) return;
  const { bridge, table, namespacePrefix } = planNetwork(home, [], subnet);
  // Their ends of the cables go with them.
  for (const { name } of await json<{ name: string }>('netns', 'list'))
    if (name.startsWith(namespacePrefix)) await ip('netns', 'del', name);
  if (await exists(bridge)) await ip('link', 'del', bridge);
  await nft(`add table ip ${table}\ndelete table ip ${table}\n`).catch(() => {});
}

const subnetOf = async (home: string): Promise<string | undefined> =>
  (await readFile(fileOf(home), 'utf8').catch(() => '')).trim() || undefined;

/** Lets the nodes reach what the host reaches: registries, for instance. */
async function masquerade({ bridge, subnet, table }: Pick<NodeNetwork, 'bridge' | 'subnet' | 'table'>): Promise<void> {
  await nft(
    [
      `add table ip ${table}`,
      `delete table ip ${table}`,
      `table ip ${table} {`,
      '  chain postrouting {',
      '    type nat hook postrouting priority srcnat;',
      `    ip saddr ${subnet} oifname != "${bridge}" masquerade`,
      '  }',
      '}',
      '',
    ].join('\n'),
  );
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1');
}

async function nft(script: string): Promise<void> {
  const child = run('nft', ['-f', '-']);
  child.child.stdin?.end(script);
  await child;
}

const exists = async (link: string): Promise<boolean> => {
  const links = await json<{ ifname: string }>('link', 'show');
  return links.some(({ ifname }) => ifname === link);
};
