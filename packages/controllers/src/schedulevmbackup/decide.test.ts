import { describe, expect, it } from 'vitest';
import { decideSchedule, type Schedule } from './decide.ts';

const at = (time: string): number => Date.parse(`2026-03-01T${time}Z`);
const schedule = (spec: Partial<Schedule['spec']> = {}): Schedule =>
  ({ metadata: { name: 's' }, spec: { cron: '0 * * * *', retain: 2, maxFailure: 2, ...spec } }) as Schedule;
type Backup = Parameters<typeof decideSchedule>[1][number];
const backup = (time: string, how: 'ready' | 'failed' | 'busy'): Backup => {
  const failed = { conditions: [{ type: 'InProgress', status: 'False', reason: 'Error' }] };
  const status = { ready: { readyToUse: true }, failed, busy: { readyToUse: false } }[how];
  const metadata = { name: time, creationTimestamp: new Date(at(time)).toISOString() };
  return { metadata, status } as unknown as Backup;
};
const names = (backups: readonly Backup[]): string[] => backups.map(({ metadata }) => metadata.name);

describe('a schedule', () => {
  it('makes a backup when its time has come, and no sooner', () => {
    expect(decideSchedule(schedule(), [], at('01:10:00'), at('01:59:00'))).toMatchObject({ nextMs: at('02:00:00') });
    const due = decideSchedule(schedule(), [], at('01:10:00'), at('02:00:01'));
    expect(due).toMatchObject({ dueMs: at('02:00:00'), nextMs: at('03:00:00') });
  });

  it('makes up once for the times that it has missed', () => {
    expect(decideSchedule(schedule(), [], at('01:10:00'), at('09:30:00'))).toMatchObject({ nextMs: at('10:00:00') });
  });

  it('waits while a backup is being made', () => {
    const { dueMs } = decideSchedule(schedule(), [backup('01:00:00', 'busy')], at('01:00:00'), at('02:00:01'));
    expect(dueMs).toBeUndefined();
  });

  it('removes the oldest of those that are too many, and failures that are over', () => {
    const all = [
      backup('00:30:00', 'failed'),
      ...['03:00:00', '01:00:00', '02:00:00'].map((time) => backup(time, 'ready')),
    ];
    expect(names(decideSchedule(schedule(), all, at('03:00:00'), at('03:10:00')).remove)).toEqual([
      '01:00:00',
      '00:30:00',
    ]);
  });

  it('suspends itself after failures in a row, and goes on when they are deleted', () => {
    const all = [backup('01:00:00', 'ready'), backup('02:00:00', 'failed'), backup('03:00:00', 'failed')];
    const stopped = decideSchedule(schedule(), all, at('03:00:00'), at('04:00:01'));
    expect(stopped).toMatchObject({ failures: 2, suspendedBecause: expect.stringContaining('failed') });
    expect(stopped.dueMs).toBeUndefined();
    expect(decideSchedule(schedule(), all.slice(0, 2), at('03:00:00'), at('04:00:01')).dueMs).toBe(at('04:00:00'));
  });

  it('that is suspended makes none', () => {
    expect(decideSchedule(schedule({ suspend: true }), [], at('01:10:00'), at('09:30:00'))).toEqual({
      remove: [],
      failures: 0,
      suspendedBecause: 'spec.suspend is true',
    });
  });
});
