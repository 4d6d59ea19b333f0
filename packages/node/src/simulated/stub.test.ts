import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { describe, expect, it } from 'vitest';
import { consoleText, durationMs, STAGES, type StageName } from './stages.ts';
import { adoptStub, advance, beginStage, copyMs } from './stub.ts';

describe('stages', () => {
  it.each(Object.keys(STAGES) as StageName[])('%s takes its time, the same for one VM each time', (stage) => {
    const [least, most] = STAGES[stage].takesMs;
    const times = Array.from({ length: 200 }, (_, index) => durationMs(stage, `vm-${index}`));
    for (const time of times) expect(time >= least && time <= most).toBe(true);
    expect(new Set(times).size).toBeGreaterThan(10);
    expect(times.map((_, index) => durationMs(stage, `vm-${index}`))).toEqual(times);
  });

  it('happen when their time is over, and are begun once', () => {
    const fresh = adoptStub(undefined, 0);
    const starting = beginStage(fresh, 'start', 'u', 100);
    const dueMs = starting.pending?.dueMs ?? 0;
    expect(beginStage(starting, 'start', 'u', 150)).toBe(starting);
    expect(advance(starting, dueMs - 1).domain).toBeUndefined();
    expect(advance(starting, dueMs)).toMatchObject({
      domain: { state: 'running', reason: 'booted' },
      pending: undefined,
      startedAtMs: dueMs,
    });
  });

  it('leave a guest that shut down by itself, and one that was switched off', () => {
    const running = advance(beginStage(adoptStub(undefined, 0), 'start', 'u', 0), 10_000);
    const after = (stage: StageName) => advance(beginStage(running, stage, 'u', 20_000), 30_000).domain;
    expect(after('shutdown')).toEqual({ state: 'shutoff', reason: 'shutdown' });
    expect(after('destroy')).toEqual({ state: 'shutoff', reason: 'destroyed' });
  });

  it.each([
    ['no limit', undefined, 0],
    ['a limit', '16Mi', 4_000],
    ['less than libvirt takes', '1Ki', 64_000],
  ])('of a migration take as long as its bandwidth says: %s', (_, bandwidthPerMigration, expected) => {
    const vmi = { spec: { domain: { memory: { guest: '64Mi' }, devices: {} } } } as VirtualMachineInstance;
    const takesMs = copyMs(vmi, { migrationConfiguration: { bandwidthPerMigration } });
    expect(takesMs).toBe(expected);
    const running = advance(beginStage(adoptStub(undefined, 0), 'start', 'u', 0), 10_000);
    const dueMs = beginStage(running, 'migrate', 'u', 10_000, takesMs).pending?.dueMs;
    expect(dueMs).toBeGreaterThanOrEqual(10_000 + expected);
  });

  it('print line after line', () => {
    expect(consoleText(1000, 999)).toBe('');
    expect(consoleText(1000, 1000)).toBe('SeaBIOS (version stub)');
    expect(consoleText(1000, 9000)).toMatch(/login: $/);
  });
});
