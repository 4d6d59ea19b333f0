import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { LibvirtError } from '@vireo/libvirt';
import { describe, expect, it } from 'vitest';
import { setGuestTime } from './guestTime.ts';

const REF = { name: 'default_web', uuid: 'u', id: 1 };
const vmi = (...conditions: readonly string[]): Vmi =>
  ({
    metadata: { name: 'web', namespace: 'default' },
    status: { conditions: conditions.map((type) => ({ type, status: 'True' })) },
  }) as unknown as Vmi;
const silent = new LibvirtError({
  code: 86,
  domain: 0,
  level: 2,
  message: 'Guest agent is not responding: QEMU guest agent is not connected',
  procedure: 'domainSetTime',
});

/** An agent that is not there for the first so many questions; what it was told, and what was logged. */
async function told(of: Vmi, { failures = 0, error = silent as unknown } = {}) {
  const times: number[] = [];
  const warnings: string[] = [];
  let nowMs = 1_000;
  let left = failures;
  const context = {
    libvirt: {
      long: {
        setGuestTime: async (_: unknown, timeMs: number) => {
          if (left-- > 0) throw error;
          times.push(timeMs);
        },
      },
    },
    clock: {
      now: () => nowMs,
      after: (ms: number, act: () => void) => {
        nowMs += ms;
        queueMicrotask(act);
        return () => {};
      },
    },
    log: { warn: (text: string) => warnings.push(text) },
  };
  await setGuestTime(of, REF, context as never, new AbortController().signal);
  return { times, warnings };
}

describe('the clock of a guest that has come', () => {
  it.each<[string, string[], number[]]>([
    ['with an agent is set to the time of the node', ['AgentConnected'], [1_000]],
    ['without an agent is left as it is', [], []],
    ['that stands still is left as it is', ['AgentConnected', 'Paused'], []],
  ])('%s', async (_, conditions, times) => {
    expect(await told(vmi(...conditions))).toEqual({ times, warnings: [] });
  });

  it('is set as soon as the agent answers, to the time of then', async () => {
    expect(await told(vmi('AgentConnected'), { failures: 3 })).toEqual({ times: [4_000], warnings: [] });
  });

  it('is left as it is, and a warning is logged, if the agent does not answer or cannot do it', async () => {
    const warnings = ['the clock of a guest that has come cannot be set'];
    expect(await told(vmi('AgentConnected'), { failures: 99 })).toEqual({ times: [], warnings });
    const error = new Error('the command guest-set-time has been disabled');
    expect(await told(vmi('AgentConnected'), { failures: 1, error })).toEqual({ times: [], warnings });
  });
});
