import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bootId, bootTimeMs } from './bootTime.ts';
import { DeadMan } from './deadMan.ts';
import {
  type DeadManDecision,
  deadManFiles,
  decideDeadMan,
  type Ended,
  type Heartbeat,
  readState,
  type Tick,
  writeState,
} from './deadManState.ts';
import { Fence } from './fence.ts';

describe('the dead-man process', () => {
  const given: Heartbeat = { bootId: 'b', sentAtMs: 1000, stopAfterMs: 60_000 };
  it.each<[what: string, Partial<Heartbeat>, nowMs: number, isFilePresent: boolean, guests: number, DeadManDecision]>([
    ['waits while a renewal is young enough', {}, 60_999, true, 1, 'wait'],
    ['ends guests when it is not', {}, 61_000, true, 1, 'kill'],
    ['goes on looking when they have ended', {}, 99_000, true, 0, 'kill'],
    ['ends them although its file is gone', {}, 61_000, false, 1, 'kill'],
    ['goes when its file is gone and they have ended', {}, 61_000, false, 0, 'exit'],
    ['gives no time away when its file is gone', {}, 2000, false, 0, 'wait'],
    ['goes when it is disarmed', { isDisarmed: true }, 99_000, true, 1, 'exit'],
    ['knows nothing of an earlier start of the host', { bootId: 'a' }, 99_000, true, 1, 'exit'],
  ])('%s', (_, heartbeat, nowMs, isFilePresent, guests, decision) => {
    const at = { bootId: 'b', nowMs, isFilePresent, guests: () => guests };
    expect(decideDeadMan({ ...given, ...heartbeat }, at)).toBe(decision);
  });
});

describe('with real processes', () => {
  let directory: string;
  let layout: { run: string; vmis: string };
  let deadMan: DeadMan;
  const children: ChildProcess[] = [];

  beforeEach(async () => {
    directory = await mkdtemp('/tmp/vireo-dead-man-');
    layout = { run: join(directory, 'run'), vmis: join(directory, 'machines') };
    await mkdir(layout.run);
    deadMan = new DeadMan(layout);
  });
  afterEach(async () => {
    const { pid } = tick() ?? {};
    deadMan.stop();
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true });
    if (pid) await vi.waitFor(() => expect(existsSync(`/proc/${pid}`)).toBe(false));
  });

  const tick = () => readState<Tick>(deadManFiles(layout.run).tick);

  /** A process that looks like the QEMU of a guest: its name, and files of a node. */
  async function guest(name: string, of: string): Promise<ChildProcess> {
    const program = join(directory, 'qemu-system-x86_64');
    if (!existsSync(program)) await symlink(process.execPath, program);
    const words = [
      '-e',
      'setInterval(() => {}, 1000)',
      '--',
      '-name',
      `guest=shop_${name},debug-threads=on`,
      '-uuid',
      `uid-of-${name}`,
      `${of}/disk`,
    ];
    const child = spawn(program, words, { stdio: 'ignore' });
    await once(child, 'spawn');
    children.push(child);
    return child;
  }
  const ended = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

  it('ends the guests of its node and no others when no renewal is acknowledged, and writes down that it did', async () => {
    const [own, other] = [await guest('web', layout.vmis), await guest('db', '/elsewhere')];
    await deadMan.arm(1500);
    expect(deadMan.isAlive()).toBe(true);
    await vi.waitFor(() => expect(ended(own)).toBe(true), 10_000);
    expect(own.signalCode).toBe('SIGKILL');
    expect(ended(other)).toBe(false);
    await vi.waitFor(
      () => expect(deadMan.ended).toMatchObject({ guests: [{ key: 'shop/web', uid: 'uid-of-web' }] }),
      5_000,
    );
    const told: Ended[] = [];
    const fence = new Fence({
      policy: () => undefined,
      deadMan,
      settle: async () => {},
      onEnded: (each) => told.push(each),
      onProblem: (error) => expect.unreachable(String(error)),
    });
    // It is told once, also before the record is read as a whole; and of no other VMI of that name.
    expect([fence.whyEnded('uid-of-web'), fence.whyEnded('uid-of-web'), fence.whyEnded('uid-of-next')]).toEqual([
      expect.stringMatching(/^it was ended by the fencing policy of its node/),
      undefined,
      undefined,
    ]);
    expect(await fence.promise()).toBeUndefined();
    expect(told).toHaveLength(1);
    expect(fence.whyEnded('uid-of-web')).toBeUndefined();
    // What is started in spite of it ends as well.
    const late = await guest('late', layout.vmis);
    await vi.waitFor(() => expect(ended(late)).toBe(true), 10_000);
  });

  it('an agent that starts has a process that was killed back before it asks the server', async () => {
    await deadMan.resume();
    expect(tick()).toBeUndefined();
    await deadMan.arm(600_000);
    const { pid } = tick()!;
    const { heartbeat } = deadMan;
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(deadMan.isAlive()).toBe(false));
    await new DeadMan(layout).resume();
    expect(tick()?.pid).not.toBe(pid);
    expect(deadMan.heartbeat).toEqual(heartbeat);
  });

  it('ends nothing while renewals are acknowledged, and nothing when it is disarmed', async () => {
    const own = await guest('web', layout.vmis);
    await deadMan.arm(600_000);
    const { pid } = tick()!;
    // The next agent finds it, also one of another version, whose program is elsewhere.
    await new DeadMan(layout).arm(600_000);
    expect(tick()?.pid).toBe(pid);
    deadMan.acknowledge(bootTimeMs(), 600_000);
    deadMan.shorten(500_000);
    await vi.waitFor(() => expect(tick()).toMatchObject({ bootId: bootId(), stopAfterMs: 500_000 }), 5_000);
    // Its last sign of life is young, but another process has its id.
    const last = tick()!;
    process.kill(pid, 'SIGSTOP');
    writeState(deadManFiles(layout.run).tick, { ...last, pid: process.pid });
    expect(deadMan.isAlive()).toBe(false);
    process.kill(pid, 'SIGCONT');
    deadMan.disarm();
    await vi.waitFor(() => expect(existsSync(`/proc/${pid}`)).toBe(false), 5_000);
    expect(ended(own)).toBe(false);
  });

  it('a fence promises what the process keeps, and starts nothing that would have to end', async () => {
    let stopAfterSeconds: number | undefined = 60;
    const problems: unknown[] = [];
    const fence = new Fence({
      policy: () => (stopAfterSeconds === undefined ? undefined : { stopAfterSeconds, restartAfterSeconds: 120 }),
      deadMan,
      settle: async () => {},
      onEnded: () => {},
      onProblem: (error) => problems.push(error),
    });
    expect(fence.mayStart()).toBe(true);
    const sentAtMs = bootTimeMs();
    expect(await fence.promise()).toBe(60);
    fence.acknowledged(sentAtMs, 60);
    expect(deadMan.heartbeat).toMatchObject({ sentAtMs, stopAfterMs: 60_000 });
    expect([fence.mayStart(sentAtMs + 54_000), fence.mayStart(sentAtMs + 56_000)]).toEqual([true, false]);
    // A longer time counts when the server knows of it, a shorter one before.
    stopAfterSeconds = 90;
    expect(await fence.promise()).toBe(90);
    expect(deadMan.heartbeat).toMatchObject({ stopAfterMs: 60_000 });
    stopAfterSeconds = 30;
    expect(await fence.promise()).toBe(30);
    expect(deadMan.heartbeat).toMatchObject({ sentAtMs, stopAfterMs: 30_000 });
    stopAfterSeconds = undefined;
    expect(await fence.promise()).toBeUndefined();
    expect(deadMan.heartbeat).toBeDefined();
    fence.acknowledged(bootTimeMs(), undefined);
    expect(deadMan.heartbeat).toBeUndefined();
    expect(problems).toEqual([]);
  });

  it('a policy that cannot be read is reported once, and is not in force', async () => {
    const problems: string[] = [];
    const fence = new Fence({
      policy: () => ({ problem: 'there is no policy "fast"' }),
      deadMan,
      settle: async () => {},
      onEnded: () => {},
      onProblem: (error) => problems.push((error as Error).message),
    });
    expect([await fence.promise(), await fence.promise()]).toEqual([undefined, undefined]);
    expect(problems).toEqual(['there is no policy "fast"']);
  });
});
