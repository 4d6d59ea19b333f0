import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { end, useVms } from './fixture.ts';
import { guestsOf } from './leftovers.ts';
import { vm } from './manifests.ts';

const {
  kubectl,
  home,
  server,
  vireo,
  startAgain,
  libvirtdPid,
  untilStatus,
  console,
  clear,
  create,
  uidOf,
  untilReplaced,
} = useVms();

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${prefix}-${at}`);
const pidsOf = async (name: string): Promise<number[]> =>
  (await guestsOf(home()))
    .filter(({ command }) => command.some((word) => word.startsWith(`guest=default_${name},`)))
    .map(({ pid }) => pid);
const allPids = async (): Promise<number[]> => (await guestsOf(home())).map(({ pid }) => pid).sort();

/** How often QEMU was started for the present instance of a VM, by the log that libvirt keeps of it. */
async function startsOf(name: string): Promise<number> {
  const log = await readFile(join(home(), `libvirt/log/qemu/default_${name}.log`), 'utf8');
  return log.match(/: starting up libvirt version/g)?.length ?? 0;
}

const killServer = async (): Promise<void> => {
  await server().kill();
};
const killLibvirtd = async (): Promise<void> => end(await libvirtdPid(), 'SIGKILL');

/** The guest still answers, in the process in which it was. */
async function answers(name: string): Promise<void> {
  const session = await console(name);
  session.type('r');
  await session.until(/boot sector ready/);
  await session.close();
}

/** Waits until QEMU runs for at least so many VMs. */
const untilGuests = (count: number): Promise<void> =>
  vi.waitFor(async () => expect((await allPids()).length).toBeGreaterThanOrEqual(count), {
    timeout: 60_000,
    interval: 20,
  });

beforeEach(async () => {
  await create(vm('stays'));
  await untilStatus('stays', 'Running');
}, 120_000);
afterEach(clear, 120_000);

describe.each([
  ['the server', killServer, startAgain],
  ['libvirtd', killLibvirtd, async () => {}],
])('kill -9 of %s', (_, kill, revive) => {
  it('while guests run: they go on, and obey afterwards', async () => {
    const before = { pids: await allPids(), uid: await uidOf('stays') };
    await kill();
    expect(await allPids()).toEqual(before.pids);
    await revive();
    await answers('stays');
    expect(await allPids()).toEqual(before.pids);
    expect(await uidOf('stays')).toBe(before.uid);
    expect(await startsOf('stays')).toBe(1);
    expect(await vireo('restart stays')).toBe('VM stays was scheduled to restart');
    await untilReplaced('stays', before.uid);
  }, 120_000);

  it('while guests stop: they stop', async () => {
    const stopping = names('stopping', 4);
    await create(...stopping.map((name) => vm(name)), vm('slow', { guest: 'deaf', graceSeconds: 4 }), vm('leaving'));
    await untilStatus([...stopping, 'slow', 'leaving'], 'Running');
    const [stays] = await pidsOf('stays');
    await kubectl.do(`patch vm ${[...stopping, 'slow'].join(' ')} --type=merge -p '{"spec":{"runStrategy":"Halted"}}'`);
    await kubectl.do('delete vm leaving --wait=false');
    await kill();
    await revive();
    await untilStatus([...stopping, 'slow'], 'Stopped');
    await kubectl.do('wait vm/leaving --for=delete --timeout=60s');
    expect(await allPids()).toEqual([stays]);
  }, 120_000);
});

it('kill -9 of the server while guests start: each is started, and once', async () => {
  const starting = names('starting', 5);
  await create(...starting.map((name) => vm(name)));
  await untilGuests(2);
  await killServer();
  await startAgain();
  await untilStatus(starting, 'Running');
  for (const name of [...starting, 'stays']) expect(await pidsOf(name), name).toHaveLength(1);
  for (const name of ['stays', ...starting]) expect(await startsOf(name), name).toBe(1);
}, 120_000);

it('kill -9 of libvirtd while guests start: each is started, and has one process', async () => {
  const starting = names('starting', 5);
  const [stays] = await pidsOf('stays');
  await create(...starting.map((name) => vm(name)));
  await untilGuests(3);
  await killLibvirtd();
  await untilStatus(starting, 'Running');
  for (const name of starting) {
    await answers(name);
    expect(await pidsOf(name), name).toHaveLength(1);
  }
  expect(await pidsOf('stays')).toEqual([stays]);
  expect(await allPids()).toHaveLength(6);
}, 120_000);

describe('kill -9 of QEMU', () => {
  it('while it runs, starts and stops: that VM is started anew or ends, the others notice nothing', async () => {
    await create(
      vm('dies'),
      vm('manual', { runStrategy: 'Manual' }),
      vm('stuck', { guest: 'deaf', graceSeconds: 3600 }),
    );
    expect(await vireo('start manual')).toBe('VM manual was scheduled to start');
    await untilStatus(['dies', 'manual', 'stuck'], 'Running');
    const [stays] = await pidsOf('stays');
    const before = await uidOf('dies');

    await create(vm('early'));
    await vi.waitFor(async () => expect(await pidsOf('early')).toHaveLength(1), { timeout: 60_000, interval: 20 });
    for (const pid of [...(await pidsOf('early')), ...(await pidsOf('dies')), ...(await pidsOf('manual'))])
      end(pid, 'SIGKILL');
    await untilReplaced('dies', before);
    await kubectl.do('wait vmi/manual --for=jsonpath={.status.phase}=Failed --timeout=60s');
    await untilStatus('manual', 'Stopped');
    await untilStatus('early', 'Running');

    await kubectl.do('patch vm stuck --type=merge -p \'{"spec":{"runStrategy":"Halted"}}\'');
    await untilStatus('stuck', 'Stopping');
    for (const pid of await pidsOf('stuck')) end(pid, 'SIGKILL');
    await untilStatus('stuck', 'Stopped');

    expect(await pidsOf('stays')).toEqual([stays]);
    expect(await allPids()).toHaveLength(3);
  }, 120_000);
});
