import type { HostCapabilities } from '@vireo/hypervisor';
import type { Clock } from '@vireo/kube';

type Ask = (virtType: string) => Promise<HostCapabilities>;

/**
 * Asks once: every question starts a libvirtd, and the Node changes all the time. A question that failed is asked again
 * after `retryMs`; until then its error is the answer.
 */
export function remembered(ask: Ask, clock: Pick<Clock, 'now'>, retryMs: number): Ask {
  const found = new Map<string, HostCapabilities>();
  const failed = new Map<string, { readonly error: unknown; readonly untilMs: number }>();
  return async (virtType) => {
    const known = found.get(virtType);
    if (known) return known;
    const failure = failed.get(virtType);
    if (failure && clock.now() < failure.untilMs) throw failure.error;
    try {
      const capabilities = await ask(virtType);
      found.set(virtType, capabilities);
      return capabilities;
    } catch (error) {
      failed.set(virtType, { error, untilMs: clock.now() + retryMs });
      throw error;
    }
  };
}
