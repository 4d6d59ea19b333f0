import type { Event } from '@vireo/api';

const TTL_MS = 60 * 60 * 1000;

/** How long an event is still kept; zero or less: its time is over. */
export function expiresInMs(event: Event, nowMs: number): number {
  const { eventTime, lastTimestamp, series, metadata } = event;
  const times = [eventTime, lastTimestamp, series?.lastObservedTime, metadata.creationTimestamp]
    .map((time) => (time ? Date.parse(time) : Number.NaN))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? TTL_MS : Math.max(...times) + TTL_MS - nowMs;
}
