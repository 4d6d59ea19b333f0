import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { collectYoung } from './youngGarbage.ts';

/** What there is to know of a collection. */
const detailOf = (entry: PerformanceEntry): { readonly kind: number; readonly flags: number } =>
  (entry as PerformanceEntry & { readonly detail: { readonly kind: number; readonly flags: number } }).detail;

it('only what is young is looked at', async () => {
  const { promise, resolve } = Promise.withResolvers<PerformanceEntry>();
  const isForced = (entry: PerformanceEntry): boolean =>
    (detailOf(entry).flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
  const observer = new PerformanceObserver((list) => list.getEntries().filter(isForced).forEach(resolve));
  observer.observe({ entryTypes: ['gc'] });
  try {
    collectYoung();
    expect(detailOf(await promise).kind).toBe(constants.NODE_PERFORMANCE_GC_MINOR);
  } finally {
    observer.disconnect();
  }
});
