import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzip } from '@vireo/extension/testing/unzip.ts';
import { runVireo } from '../../e2e/vireo.ts';
import { processesWith } from '../../e2e/vms/leftovers.ts';
import { entriesBelow } from '../fileModes.ts';
import type { Ground } from '../ground.ts';
import { NAMESPACE } from './plant.ts';

/** Somewhere that others than the owner of a secret look at, and what is there. */
export interface Place {
  readonly name: string;
  readonly text: string;
}

/** Every such place. */
export async function places(ground: Ground): Promise<Place[]> {
  return [
    { name: 'what the server prints', text: ground.output() },
    ...(await logs(ground.home)),
    ...(await objects(ground)),
    ...(await bundle(ground.home)),
    ...(await processes(ground)),
    ...(await openFiles(ground.home)),
    { name: 'the metrics', text: await get(ground, '/metrics') },
  ];
}

async function logs(home: string): Promise<Place[]> {
  const found = (await entriesBelow(home)).filter(({ path, type }) => type === 'file' && /\.log(\.\d+)?$/.test(path));
  return Promise.all(found.map(async ({ path }) => ({ name: path.slice(home.length + 1), text: await read(path) })));
}

/** What viewers of a namespace see beside what its users wrote there themselves: events, pods, and states. */
async function objects(ground: Ground): Promise<Place[]> {
  const core = `/api/v1/namespaces/${NAMESPACE}`;
  const kubevirt = `/apis/kubevirt.io/v1/namespaces/${NAMESPACE}/virtualmachineinstances`;
  const volumes = `/apis/cdi.kubevirt.io/v1beta1/namespaces/${NAMESPACE}/datavolumes`;
  const states = async (path: string): Promise<string> => {
    const { items } = JSON.parse(await get(ground, path)) as { items: readonly { status?: unknown }[] };
    return JSON.stringify(items.map(({ status }) => status));
  };
  return [
    { name: 'the events', text: await get(ground, `${core}/events`) },
    { name: 'the pods', text: await get(ground, `${core}/pods`) },
    { name: 'the states of VMs', text: await states(kubevirt) },
    { name: 'the states of volumes', text: await states(volumes) },
    { name: 'the nodes', text: await get(ground, '/api/v1/nodes') },
  ];
}

async function get(ground: Ground, path: string): Promise<string> {
  const { status, body } = await ground.wire(ground.admin).send({ method: 'GET', path });
  if (status !== 200) throw new Error(`GET ${path} was answered with ${status}: ${body.slice(0, 200)}`);
  return body;
}

/** The archive that people send to whoever helps them; domains as libvirt shows them are in it. */
async function bundle(home: string): Promise<Place[]> {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-security-bundle-'));
  try {
    const file = join(directory, 'bundle.zip');
    const { code, output } = await runVireo(['support-bundle', '--home', home, '--file', file]);
    if (code !== 0) throw new Error(`vireo support-bundle ended with ${code}: ${output}`);
    const files = unzip(await readFile(file));
    return [...files].map(([name, bytes]) => ({
      name: `${name} of the support bundle`,
      text: bytes.toString('latin1'),
    }));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Command lines, which every user of the host can read. */
async function processes({ home, pid }: Ground): Promise<Place[]> {
  const found = await processesWith(home);
  const own = await readFile(`/proc/${pid}/cmdline`, 'utf8');
  return [
    { name: 'the command line of the server', text: own },
    ...found.map(({ pid: each, command }) => ({
      name: `the command line of process ${each}`,
      text: command.join(' '),
    })),
  ];
}

/** Files that others could read if they got into the home. */
async function openFiles(home: string): Promise<Place[]> {
  const found = (await entriesBelow(home)).filter(({ type, mode }) => type === 'file' && (mode & 0o004) !== 0);
  return Promise.all(
    found.map(async ({ path }) => ({ name: `${path}, which others may read`, text: await read(path) })),
  );
}

const MAX_BYTES = 8 << 20;

/** Nothing for what is gone already, or is as large as a disk. */
async function read(path: string): Promise<string> {
  const { size = 0 } = await stat(path).catch(() => ({ size: 0 }));
  return size > MAX_BYTES ? '' : readFile(path, 'latin1').catch(() => '');
}

/** What is wrong with how QEMU confines itself: it is to give up most system calls before it runs a guest. */
export async function sandboxProblems(home: string): Promise<(string | undefined)[]> {
  const guests = (await processesWith(home)).filter(({ command }) => command[0]?.includes('qemu-system'));
  if (guests.length === 0) return ['no QEMU process is there to look at'];
  return guests.map(({ pid, command }) => {
    const isConfined = command[command.indexOf('-sandbox') + 1]?.startsWith('on,');
    return isConfined ? undefined : `the QEMU process ${pid} runs without its seccomp sandbox`;
  });
}
