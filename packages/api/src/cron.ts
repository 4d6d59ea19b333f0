import { parseDuration } from './duration.ts';

interface Field {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: ['', ...MONTHS] },
  { least: 0, most: 6, names: DAYS },
];
/** What they stand for. */
const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const EVERY = '@every ';

/** What is wrong with a schedule, in the words of the library that Kubernetes reads it with; undefined: nothing. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptorProblem(schedule);
  const fields = fieldsOf(schedule);
  if (fields.length !== FIELDS.length)
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  for (const [index, text] of fields.entries())
    for (const part of text.split(',')) {
      const problem = rangeProblem(part, FIELDS[index] as Field);
      if (problem) return problem;
    }
  return undefined;
}

function descriptorProblem(descriptor: string): string | undefined {
  if (Object.hasOwn(DESCRIPTORS, descriptor)) return undefined;
  if (!descriptor.startsWith(EVERY)) return `unrecognized descriptor: ${descriptor}`;
  const text = descriptor.slice(EVERY.length);
  if (parseDuration(text) !== undefined) return undefined;
  return `failed to parse duration ${descriptor}: time: invalid duration ${JSON.stringify(text)}`;
}

/** `*`, `5`, `1-5`, with `/2` behind any of them. */
function rangeProblem(text: string, field: Field): string | undefined {
  const [range = '', step, ...moreSteps] = text.split('/');
  const [from = '', to, ...moreEnds] = range.split('-');
  let [start, end]: [number | string, number | string] = [field.least, field.most];
  if (from !== '*' && from !== '?') {
    start = numberIn(from, field);
    if (moreEnds.length > 0) return `too many hyphens: ${text}`;
    end = to === undefined ? (step === undefined ? start : field.most) : numberIn(to, field);
  }
  if (typeof start === 'string') return start;
  if (typeof end === 'string') return end;
  if (moreSteps.length > 0) return `too many slashes: ${text}`;
  const stride = step === undefined ? 1 : numberIn(step, { least: 0, most: 0 });
  if (typeof stride === 'string') return stride;
  if (start < field.least) return `beginning of range (${start}) below minimum (${field.least}): ${text}`;
  if (end > field.most) return `end of range (${end}) above maximum (${field.most}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  if (stride === 0) return `step of range should be a positive number: ${text}`;
  return undefined;
}

/** The number, or what is wrong with it. */
function numberIn(text: string, { names = [] }: Field): number | string {
  const named = text === '' ? -1 : names.indexOf(text.toLowerCase());
  if (named >= 0) return named;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (/^-\d+$/.test(text)) return `negative number (${text}) not allowed: ${text}`;
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}

const fieldsOf = (schedule: string): string[] => schedule.split(/\s+/).filter(Boolean);

/** 29 February may be eight years away. */
const FARTHEST_YEARS = 9;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * The first time after another that a schedule names, in UTC; undefined where it names none.
 *
 * @example
 * nextTime('30 2 * * 1-5', new Date('2026-01-02T03:00:00Z')) // 2026-01-05T02:30:00Z, a Monday
 */
export function nextTime(schedule: string, after: Date): Date | undefined {
  if (scheduleProblem(schedule) !== undefined) return undefined;
  if (schedule.startsWith(EVERY)) return everyTime(parseDuration(schedule.slice(EVERY.length)) ?? 0, after);
  const texts = fieldsOf(DESCRIPTORS[schedule] ?? schedule);
  const [minutes, hours, days, months, weekdays] = texts.map((text, index) => valuesOf(text, FIELDS[index] as Field));
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  // Of two restricted fields for the day, one has to fit; of an unrestricted and another, both.
  const isDay = (date: Date): boolean => {
    const [fitsMonth, fitsWeek] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
    return isAny(texts[2]) || isAny(texts[4]) ? fitsMonth && fitsWeek : fitsMonth || fitsWeek;
  };
  const date = new Date(Math.floor(after.getTime() / MINUTE_MS + 1) * MINUTE_MS);
  const lastYear = date.getUTCFullYear() + FARTHEST_YEARS;
  while (date.getUTCFullYear() <= lastYear) {
    if (!months.has(date.getUTCMonth() + 1)) startOf(date, date.getUTCMonth() + 1, 1);
    else if (!isDay(date)) startOf(date, date.getUTCMonth(), date.getUTCDate() + 1);
    else if (!hours.has(date.getUTCHours())) date.setUTCHours(date.getUTCHours() + 1, 0);
    else if (!minutes.has(date.getUTCMinutes())) date.setUTCMinutes(date.getUTCMinutes() + 1);
    else return date;
  }
  return undefined;
}

/** Whole seconds, and at least one. */
const everyTime = (ms: number, after: Date): Date =>
  new Date(Math.floor(after.getTime() / SECOND_MS) * SECOND_MS + Math.max(1, Math.floor(ms / SECOND_MS)) * SECOND_MS);

function startOf(date: Date, month: number, day: number): void {
  date.setUTCMonth(month, day);
  date.setUTCHours(0, 0);
}

/** Whether a field leaves its choice open; one with a step does not. */
const isAny = (text = ''): boolean => text.split(',').some((part) => /^[*?](\/1)?$/.test(part));

/** The values that a field of a good schedule names. */
function valuesOf(text: string, field: Field): Set<number> {
  const ranges = text.split(',').map((part) => {
    const [range = '', step] = part.split('/');
    const [from = '', to] = range.split('-');
    const isOpen = from === '*' || from === '?';
    const first = isOpen ? field.least : Number(numberIn(from, field));
    const last = isOpen || (to === undefined && step !== undefined) ? field.most : Number(numberIn(to ?? from, field));
    return { first, last, stride: Number(step ?? 1) };
  });
  const values = Array.from({ length: field.most - field.least + 1 }, (_, index) => field.least + index);
  return new Set(
    values.filter((value) =>
      ranges.some(({ first, last, stride }) => value >= first && value <= last && (value - first) % stride === 0),
    ),
  );
}
