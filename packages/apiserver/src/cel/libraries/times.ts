/** `getHours()` and the other parts of moments and durations. */
import { declare, type FunctionDeclaration, type Library, memberOverload } from '../declarations.ts';
import { work } from '../meter.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../types.ts';
import { split } from '../values/text.ts';
import { CelError, type Duration, type Result, type Timestamp } from '../values/values.ts';

/** How far east of UTC a zone is at a moment, in minutes; the error where there is no such zone. */
function zoneOffset(zone: string, seconds: number): number | CelError {
  const colon = zone.indexOf(':');
  if (colon === -1) return namedZoneOffset(zone, seconds);
  const hours = Number(zone.slice(0, colon));
  const minutes = Number(zone.slice(colon + 1));
  for (const part of [zone.slice(0, colon), zone.slice(colon + 1)]) {
    if (!/^[+-]?\d{1,18}$/.test(part))
      return new CelError(`strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`);
  }
  if (Math.abs(hours) > 23) return new CelError(`timezone offset hours out of range [-23, 23]: ${zone}`);
  if (minutes < 0 || minutes > 59) return new CelError(`timezone offset minutes out of range [0, 59]: ${zone}`);
  return zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes;
}

function namedZoneOffset(zone: string, seconds: number): number | CelError {
  if (zone === '' || zone === 'UTC' || zone === 'Local') return 0;
  work(ZONE_WORK);
  const formatter = formatterOf(zone);
  if (!formatter) return new CelError(`unknown time zone ${zone}`);
  const name = formatter.formatToParts(new Date(seconds * 1000)).find(({ type }) => type === 'timeZoneName')?.value;
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d+)(?::(\d+))?/.exec(name ?? '') ?? [];
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
}

/** The platform takes microseconds to tell an offset, and more to find a zone. */
const ZONE_WORK = 300;
const MAX_ZONES = 1000;
const formatters = new Map<string, Intl.DateTimeFormat | undefined>();

/** Making one takes long, and rules name few. */
function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  if (zone.length > 64) return undefined;
  if (!formatters.has(zone)) {
    if (formatters.size >= MAX_ZONES) formatters.clear();
    formatters.set(zone, makeFormatter(zone));
  }
  return formatters.get(zone);
}

function makeFormatter(zone: string): Intl.DateTimeFormat | undefined {
  // Go reads zones from files, whose names have capitals; JavaScript takes offsets and any case, too.
  if (!/^[A-Z]/.test(zone)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
}

const DAY = 86_400_000;

const parts: Readonly<Record<string, { id: string; of: (date: Date, nanos: number) => number }>> = {
  getFullYear: { id: 'year', of: (date) => date.getUTCFullYear() },
  getMonth: { id: 'month', of: (date) => date.getUTCMonth() },
  getDayOfYear: {
    id: 'day_of_year',
    of: (date) => {
      const start = new Date(date);
      start.setUTCMonth(0, 1);
      return Math.round((date.getTime() - start.getTime()) / DAY);
    },
  },
  getDate: { id: 'day_of_month_1_based', of: (date) => date.getUTCDate() },
  getDayOfMonth: { id: 'day_of_month', of: (date) => date.getUTCDate() - 1 },
  getDayOfWeek: { id: 'day_of_week', of: (date) => date.getUTCDay() },
  getHours: { id: 'hours', of: (date) => date.getUTCHours() },
  getMinutes: { id: 'minutes', of: (date) => date.getUTCMinutes() },
  getSeconds: { id: 'seconds', of: (date) => date.getUTCSeconds() },
  getMilliseconds: { id: 'milliseconds', of: (_date, nanos) => Math.floor(nanos / 1_000_000) },
};

const durations: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
  getMilliseconds: 1_000_000n,
};

function declarePart(name: string): FunctionDeclaration {
  const { id, of } = parts[name] as (typeof parts)[string];
  const at = (moment: Timestamp, minutesEast: number): Result => {
    const { seconds, nanos } = split(moment);
    return BigInt(of(new Date((seconds + minutesEast * 60) * 1000), nanos));
  };
  const inZone = (moment: Timestamp, zone: string): Result => {
    const offset = zoneOffset(zone, split(moment).seconds);
    return offset instanceof CelError ? offset : at(moment, offset);
  };
  const unit = durations[name];
  return declare(
    name,
    memberOverload(`timestamp_to_${id}`, [TIMESTAMP], INT, (moment: Timestamp) => at(moment, moment.minutesEast)),
    memberOverload(`timestamp_to_${id}_with_tz`, [TIMESTAMP, STRING], INT, inZone),
    ...(unit ? [memberOverload(`duration_to_${id}`, [DURATION], INT, ({ nanos }: Duration) => nanos / unit)] : []),
  );
}

/** The parts of moments, in their own zone or another, and of durations. */
export const times: Library = { functions: Object.keys(parts).map(declarePart) };
