import { setTimeout as delay } from 'node:timers/promises';
import { inTurn, keepMonitor } from '../monitor.ts';
import { type ExpectedDevice, isExpected, type Sign, signsOf } from './signs.ts';

export interface DeviceWatch {
  /** What should be true of a device; undefined if it is none of ours, or is being made or removed. */
  readonly expectedOf: (device: string) => ExpectedDevice | undefined;
  /** Somebody else has removed or changed something. By device: what. */
  readonly onLost: (lost: ReadonlyMap<string, readonly string[]>) => Promise<void>;
  /** Changes may have been missed. */
  readonly onMissed: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** A device is made by several changes, and whoever removes one makes several. */
const SETTLE_MS = 500;
/** After a repair that failed. */
const RETRY_MS = 10_000;

/**
 * Notices when somebody else changes devices, addresses, routes, neighbours or settings of ours, until `signal` aborts. What
 * looks wrong for a moment, as while a card is made, is no matter. Nothing is read from the kernel: `ip monitor` tells.
 */
export async function watchDevices(watch: DeviceWatch, signal: AbortSignal): Promise<void> {
  const { expectedOf, onLost, onMissed, onError } = watch;
  const wrong = new Map<string, Sign>();
  let isMissed = false;
  const repair = inTurn(async () => {
    await delay(SETTLE_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const lost = new Map<string, string[]>();
    // It may have been given up meanwhile.
    for (const { device, about } of [...wrong.values()].filter(isExpected(expectedOf)))
      lost.set(device, [...(lost.get(device) ?? []), about]);
    wrong.clear();
    try {
      if (isMissed) {
        isMissed = false;
        await onMissed();
      } else if (lost.size > 0) await onLost(lost);
    } catch (error) {
      onError(error);
      await delay(RETRY_MS, undefined, { signal }).catch(() => {});
      miss();
    }
  });
  const miss = (): void => {
    isMissed = true;
    repair();
  };
  const onLine = (line: string): void => {
    for (const sign of signsOf(line, expectedOf)) {
      const key = `${sign.device} ${sign.about}`;
      if (!sign.isWrong) wrong.delete(key);
      else {
        wrong.set(key, sign);
        repair();
      }
    }
  };
  const words = ['-o', 'monitor', 'label', 'link', 'address', 'route', 'neigh', 'netconf'];
  const onListening = (isAgain: boolean): void => {
    if (isAgain) miss();
  };
  await keepMonitor({ program: 'ip', words, onLine, onListening, onError }, signal);
}
