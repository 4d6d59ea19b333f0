import type { EndpointSlice, Lease, Persisted } from '@vireo/api';

/** The last sign of life of an instance of the extension, by our own clock: those of other hosts are not to be trusted. */
export interface Sign {
  /** The versions of its objects at that time. */
  readonly seen: string;
  readonly atMs: number;
}

/** For an instance that has a slice and no Lease, which is made first. */
const DEFAULT_SECONDS = 3;

/** What is known of an instance now, and for how long it may go on like that; 0: it is dead. */
export function silenceOf(
  lease: Persisted<Lease> | undefined,
  slice: Persisted<EndpointSlice> | undefined,
  last: Sign | undefined,
  nowMs: number,
): { readonly sign: Sign; readonly remainingMs: number } {
  const seen = `${lease?.metadata.uid} ${lease?.spec?.renewTime} ${slice?.metadata.uid}`;
  const sign = last?.seen === seen ? last : { seen, atMs: nowMs };
  const durationMs = (lease?.spec?.leaseDurationSeconds ?? DEFAULT_SECONDS) * 1000;
  return { sign, remainingMs: Math.max(0, sign.atMs + durationMs - nowMs) };
}
