import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { describe, expect, it, vi } from 'vitest';
import type { NodeContext } from '../context.ts';
import { PausedGuests } from '../volumes/pausedGuests.ts';
import {
  diskPressureCondition,
  diskPressureEvent,
  isPausedByIoError,
  RESUME_AGAIN_MS,
  resumeWhenRoom,
} from './fullDisk.ts';
import type { RunningVmi } from './localVmi.ts';
import { resumeOrRetry } from './sync.ts';

const GIB = 1024 ** 3;
const vmi = (...volumes: object[]): Vmi =>
  ({ metadata: { name: 'web' }, spec: { domain: {}, volumes } }) as unknown as Vmi;
const onClaim = vmi({ name: 'root', dataVolume: { name: 'web' } });
const full = { directory: '/srv/volumes', freeBytes: 0, totalBytes: 10 * GIB, waitsFor: 'space' } as const;

describe('what a VMI says of the disk of its node', () => {
  it.each([
    { case: 'nothing while there is space', of: onClaim, isUnderPressure: false, says: undefined },
    {
      case: 'that it is nearly full',
      of: onClaim,
      isUnderPressure: true,
      says: 'the disk of node n1 is nearly full: the guest will be paused when it is full',
    },
    {
      case: 'nothing where no disk of it grows',
      of: vmi({ name: 'settings', cloudInitNoCloud: {} }),
      isUnderPressure: true,
      says: undefined,
    },
    {
      case: 'that it is full, and that the guest resumes',
      of: onClaim,
      isUnderPressure: true,
      full,
      says: 'no space left in /srv/volumes on node n1: the guest is paused and resumes when space is free again',
    },
    {
      case: 'that the guest has filled it again',
      of: onClaim,
      isUnderPressure: true,
      full: { ...full, waitsFor: 'pause' } as const,
      says: 'the guest filled /srv/volumes on node n1 again soon after it was resumed: it is paused and resumes within 30 seconds',
    },
    {
      case: 'that the guest waits for a copy',
      of: onClaim,
      isUnderPressure: true,
      full: { ...full, waitsFor: 'copy' } as const,
      says: 'the guest filled /srv/volumes on node n1: it is paused and resumes when its disks have been copied',
    },
  ])('$case', ({ of, isUnderPressure, full: at, says }) => {
    expect(diskPressureCondition(of, 'n1', { isUnderPressure, full: at })?.message).toBe(says);
  });

  it('is an event once, with the figures', () => {
    const condition = diskPressureCondition(onClaim, 'n1', { isUnderPressure: true, full: undefined });
    const space = { directory: '/srv', freeBytes: 1.5 * GIB, totalBytes: 100 * GIB };
    expect(diskPressureEvent(undefined, condition, space)).toEqual({
      reason: 'NodeHasDiskPressure',
      message:
        'the disk of node n1 is nearly full: the guest will be paused when it is full (1.5 GiB of 100 GiB is free)',
    });
    expect(diskPressureEvent({ reason: 'NodeHasDiskPressure' }, condition, space)).toBeUndefined();
    expect(diskPressureEvent({ reason: 'NodeHasDiskPressure' }, undefined, space)).toBeUndefined();
  });
});

it.each([
  ['paused', 'io-error', true],
  ['paused', 'user', false],
  ['running', 'booted', false],
])('a domain that is %s for %s is paused by an I/O error: %s', (state, reason, is) => {
  expect(isPausedByIoError({ state, reason } as Parameters<typeof isPausedByIoError>[0])).toBe(is);
});

describe('a guest that was paused by an I/O error', () => {
  const XML =
    '<domain><devices><disk><source file="/srv/volumes/a/disk.img"/><target dev="vda"/></disk></devices></domain>';

  const ref = { name: 'web', uuid: 'u1', id: 1 };

  function guest(error: string) {
    const calls: string[] = [];
    const clock = new FakeClock();
    const log = memoryLog();
    const guests = new PausedGuests(
      {
        calls: {
          domainState: async () => ({ state: 'paused', reason: 'io-error' }),
          resumeDomain: async () => void calls.push('resume'),
        },
      } as unknown as ConstructorParameters<typeof PausedGuests>[0],
      '/nowhere',
    );
    const context = {
      libvirt: {
        calls: {
          diskErrors: async () => {
            if (error === '') throw new Error('the connection to libvirt was lost');
            return [{ disk: 'vda', error }];
          },
          domainXml: async () => XML,
        },
      },
      domains: { refresh: async () => {} },
      guests,
      log,
      clock,
      recorder: { event: (_: unknown, type: string, reason: string) => void calls.push(`${type} ${reason}`) },
    } as unknown as NodeContext;
    const local = { vmi: onClaim, domain: { ref }, cache: {} } as unknown as RunningVmi;
    let freeBytes = 0;
    const asked: string[] = [];
    const resume = (bytes: number) => {
      freeBytes = bytes;
      return resumeWhenRoom(local, context, async (directory) => {
        asked.push(directory);
        return { directory, freeBytes, totalBytes: 10 * GIB };
      });
    };
    return { calls, asked, clock, guests, log, resume, local, context };
  }

  it('waits while the file system of its disk is full, and is resumed when there is room', async () => {
    const { calls, asked, clock, resume } = guest('no-space');
    expect(await resume(0)).toMatchObject({ directory: '/srv/volumes/a', waitsFor: 'space' });
    expect(calls).toEqual([]);
    expect(await resume(GIB)).toBeUndefined();
    expect(calls).toEqual(['resume', 'Normal Resumed']);
    expect(new Set(asked)).toEqual(new Set(['/srv/volumes/a']));
    // It has filled the disk again: it is not resumed again and again.
    expect(await resume(GIB)).toMatchObject({ waitsFor: 'pause' });
    clock.advance(30_000);
    expect(await resume(GIB)).toBeUndefined();
    expect(calls.filter((call) => call === 'resume')).toHaveLength(2);
  });

  it('is not resumed in the middle of a copy, and no copy begins while it is resumed', async () => {
    const { calls, guests, resume } = guest('no-space');
    const copy = Promise.withResolvers<void>();
    const copied = guests.whilePaused(ref, () => copy.promise);
    expect(await resume(GIB)).toMatchObject({ waitsFor: 'copy' });
    expect(calls).toEqual([]);
    copy.resolve();
    await copied;
    const resumed = resume(GIB);
    await vi.waitFor(() => expect(calls).toContain('resume'));
    await guests.whilePaused(ref, async () => void calls.push('copy'));
    await resumed;
    expect(calls.indexOf('copy')).toBeGreaterThan(calls.indexOf('resume'));
  });

  it('is tried again after an error, which leaves the rest of its VMI to be done', async () => {
    const { context, local, log } = guest('');
    expect(await resumeOrRetry(local, context)).toEqual({ resumeAgainMs: RESUME_AGAIN_MS });
    expect(log.entries).toMatchObject([{ level: 'warn', about: { name: 'web' } }]);
  });

  it('stays paused when its disk is broken and not full', async () => {
    const { calls, resume } = guest('unspecified');
    expect(await resume(GIB)).toBeUndefined();
    expect(calls).toEqual([]);
  });
});
