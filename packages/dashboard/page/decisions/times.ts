/** An age as kubectl prints it: `5s`, `3m`, `2h`, `4d`. A clock that is behind makes nothing younger than 0 s. */
export function formatAge(createdAt: string | undefined, nowMs: number): string {
  const startedMs = Date.parse(createdAt ?? '');
  if (Number.isNaN(startedMs)) return '–';
  const seconds = Math.max(0, Math.floor((nowMs - startedMs) / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

/** The zone of exact times; undefined is the reader's. A preference of the whole page, so no caller has to know it. */
let shownZone: string | undefined;

export function showTimesIn(zone: string | undefined): void {
  shownZone = zone;
}

/** The exact time in the zone that the reader wants, with the zone. */
export function formatTime(time: string | undefined, timeZone = shownZone): string {
  const ms = Date.parse(time ?? '');
  if (Number.isNaN(ms)) return 'unknown time';
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long', timeZone }).format(ms);
}

/** The time of day: `10:31:07`, in UTC `10:31:07 UTC`. */
export function formatClock(ms: number, timeZone = shownZone): string {
  const text = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', timeZone }).format(ms);
  return timeZone ? `${text} ${timeZone}` : text;
}
