import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { describe, expect, it } from 'vitest';
import { mountSmallDisk } from '../volumes/testing/smallDisk.ts';
import { type DiskSpace, DiskWatch, hasPressure, hasRoomToResume, readDiskSpace } from './diskSpace.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const space = (freeGib: number, totalGib: number): DiskSpace => ({
  directory: '/',
  freeBytes: freeGib * GIB,
  totalBytes: totalGib * GIB,
});

describe('a node', () => {
  it.each([
    { free: 3, total: 20, was: false, pressure: false },
    { free: 1.9, total: 20, was: false, pressure: true },
    { free: 2.5, total: 20, was: true, pressure: true },
    { free: 3, total: 20, was: true, pressure: false },
    { free: 6, total: 2000, was: false, pressure: false },
    { free: 4.9, total: 2000, was: false, pressure: true },
    { free: 7, total: 2000, was: true, pressure: true },
    { free: 7.5, total: 2000, was: true, pressure: false },
  ])('with $free of $total GiB free has disk pressure: $pressure (before: $was)', ({ free, total, was, pressure }) => {
    expect(hasPressure(space(free, total), was)).toBe(pressure);
  });

  it.each([
    { free: 0, total: 20, resumes: false },
    { free: 0.03, total: 1, resumes: false },
    { free: 0.04, total: 1, resumes: true },
    { free: 0.2, total: 20, resumes: true },
    { free: 0.4, total: 2000, resumes: false },
    { free: 0.5, total: 2000, resumes: true },
  ])('with $free of $total GiB free resumes guests: $resumes', ({ free, total, resumes }) => {
    expect(hasRoomToResume(space(free, total))).toBe(resumes);
  });
});

describe('the watch of disk space', () => {
  it('counts the file system with the least space, and tells when pressure begins and ends', async () => {
    const free = { '/home': 50, '/volumes': 10 };
    const watch = new DiskWatch({
      volumes: '/volumes',
      others: ['/home'],
      readSpace: async (directory) => ({ ...space(free[directory as keyof typeof free], 100), directory }),
      clock: new FakeClock(),
      log: memoryLog(),
    });
    const told: boolean[] = [];
    watch.onPressureChange(({ isUnderPressure }) => told.push(isUnderPressure));
    expect(await watch.read()).toMatchObject({ directory: '/volumes', isUnderPressure: false });
    for (const left of [4, 3, 6, 8, 9]) {
      free['/volumes'] = left;
      await watch.read();
    }
    expect(told).toEqual([true, false]);
  });

  it('reports a large disk under pressure rather than a small one with room, and what is free for volumes', async () => {
    const spaces: Record<string, DiskSpace> = { '/home': space(3, 4), '/volumes': space(4, 1000) };
    const watch = new DiskWatch({
      volumes: '/volumes',
      others: ['/home'],
      readSpace: async (directory) => ({ ...space(0, 0), ...spaces[directory], directory }),
      clock: new FakeClock(),
      log: memoryLog(),
    });
    expect(await watch.read()).toMatchObject({ directory: '/volumes', isUnderPressure: true });
    // Between pressure and relief: it holds for the disk that was under pressure, and does not begin for the other.
    spaces['/home'] = space(0.5, 4);
    spaces['/volumes'] = space(8, 1000);
    expect(await watch.read()).toMatchObject({ directory: '/home', isUnderPressure: false });
    spaces['/home'] = space(0.3, 4);
    expect(await watch.read()).toMatchObject({
      directory: '/home',
      isUnderPressure: true,
      freeStorageBytes: 8 * GIB,
    });
  });

  it('sees a real file system fill up', async ({ skip }) => {
    await using disk = await mountSmallDisk(40 * MIB);
    if (!disk) return skip('this user may not mount a file system that is small enough to be full');
    const watch = new DiskWatch({ volumes: disk.path, clock: new FakeClock(), log: memoryLog() });
    expect((await watch.read()).isUnderPressure).toBe(false);
    await disk.leave(2 * MIB);
    expect(await watch.read()).toMatchObject({ isUnderPressure: true, totalBytes: 40 * MIB });
    await disk.clear();
    expect((await watch.read()).isUnderPressure).toBe(false);
    expect(hasRoomToResume(await readDiskSpace(disk.path))).toBe(true);
  });
});
