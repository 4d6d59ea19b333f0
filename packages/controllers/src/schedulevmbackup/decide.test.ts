import { SCHEDULE_LABEL } from '@vireo/api/kinds/harvester/scheduleVmBackup.ts';
import { describe, expect, it } from 'vitest';
import { type Backup, decideSchedule, isMadeBy, LAST_TIME, type Schedule } from './decide.ts';

const at = (time: string): number => Date.parse(`2026-03-01T${time}Z`);
const backup = (time: string, how: 'ready' | 'failed' | 'busy'): Backup => {
  const failed = { conditions: [{ type: 'InProgress', status: 'False', reason: 'Error' }] };
  const status = { ready: { readyToUse: true }, failed, busy: { readyToUse: false } }[how];
  const metadata = { name: time, creationTimestamp: new Date(at(time)).toISOString() };
  return { metadata, status } as unknown as Backup;
};
const names = (backups: readonly Backup[]): string[] => backups.map(({ metadata }) => metadata.name);
/** What a schedule that has made these backups, the last one by `last`, decides at a time. */
const decide = (
  spec: Partial<Schedule['spec']>,
  backups: readonly Backup[],
  { last, now, inUse = [] }: { readonly last: string; readonly now: string; readonly inUse?: readonly string[] },
) => {
  const annotations = { [LAST_TIME]: new Date(at(last)).toISOString() };
  const schedule = {
    metadata: { name: 's', annotations },
    spec: { cron: '0 * * * *', retain: 2, maxFailure: 2, ...spec },
  } as unknown as Schedule;
  const isInUse = ({ metadata }: Backup): boolean => inUse.includes(metadata.name);
  return decideSchedule({ schedule, backups, isInUse, nowMs: at(now) });
};

describe('a schedule', () => {
  it('makes a backup when its time has come, and no sooner', () => {
    expect(decide({}, [], { last: '01:10:00', now: '01:59:00' })).toMatchObject({ nextMs: at('02:00:00') });
    const due = decide({}, [], { last: '01:10:00', now: '02:00:01' });
    expect(due).toMatchObject({ dueMs: at('02:00:00'), nextMs: at('03:00:00') });
  });

  it('makes up once for the times that it has missed', () => {
    expect(decide({}, [], { last: '01:10:00', now: '09:30:00' })).toMatchObject({
      dueMs: at('02:00:00'),
      nextMs: at('10:00:00'),
    });
  });

  it('knows of a backup that it has made without noting the time', () => {
    const made = backup('02:00:00', 'ready');
    expect(decide({}, [made], { last: '01:00:00', now: '02:30:00' }).dueMs).toBeUndefined();
    expect(decide({}, [made], { last: '01:00:00', now: '05:30:00' })).toMatchObject({ dueMs: at('03:00:00') });
  });

  it('waits while a backup is being made', () => {
    const { dueMs } = decide({}, [backup('01:00:00', 'busy')], { last: '01:00:00', now: '02:00:01' });
    expect(dueMs).toBeUndefined();
  });

  it('removes the oldest of those that are too many, and failures that are over, unless a restore needs them', () => {
    const all = [
      backup('00:30:00', 'failed'),
      ...['03:00:00', '01:00:00', '04:00:00', '02:00:00'].map((time) => backup(time, 'ready')),
    ];
    const times = { last: '04:00:00', now: '04:10:00' };
    expect(names(decide({}, all, times).remove)).toEqual(['01:00:00', '02:00:00', '00:30:00']);
    expect(names(decide({}, all, { ...times, inUse: ['01:00:00'] }).remove)).toEqual(['02:00:00', '00:30:00']);
  });

  it('suspends itself after failures in a row, and goes on when they are deleted', () => {
    const all = [backup('01:00:00', 'ready'), backup('02:00:00', 'failed'), backup('03:00:00', 'failed')];
    const times = { last: '03:00:00', now: '04:00:01' };
    const stopped = decide({}, all, times);
    expect(stopped).toMatchObject({ failures: 2, suspendedBecause: expect.stringContaining('failed') });
    expect(stopped.dueMs).toBeUndefined();
    expect(decide({}, all.slice(0, 2), times).dueMs).toBe(at('04:00:00'));
  });

  it('that is suspended makes none', () => {
    expect(decide({ suspend: true }, [], { last: '01:10:00', now: '09:30:00' })).toEqual({
      remove: [],
      failures: 0,
      suspendedBecause: 'spec.suspend is true',
    });
  });
});

describe('a backup', () => {
  const nightly = { metadata: { name: 'nightly', namespace: 'shop', uid: 'u-1' } } as Schedule;
  it.each([
    ['with its key and its uid', 'shop', 'shop/nightly', 'u-1', true],
    ['of another schedule', 'shop', 'shop/hourly', 'u-1', false],
    ['of an earlier schedule of that name', 'shop', 'shop/nightly', 'u-0', false],
    ['without its uid', 'shop', 'shop/nightly', undefined, false],
    ['without its key', 'shop', undefined, 'u-1', false],
    ['of another namespace', 'others', 'shop/nightly', 'u-1', false],
    ['of another namespace, with the key of that', 'others', 'others/nightly', 'u-1', false],
  ])('%s', (_, namespace, key, uid, isMade) => {
    const marked = (value: string | undefined) => (value === undefined ? {} : { [SCHEDULE_LABEL]: value });
    const metadata = { name: 'b', namespace, annotations: marked(key), labels: marked(uid) };
    expect(isMadeBy(nightly, { metadata } as unknown as Backup)).toBe(isMade);
  });
});
