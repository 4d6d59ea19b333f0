import { parseDuration } from '@vireo/api/duration.ts';

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
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const EVERY = '@every ';

/** What is wrong with a schedule, in the words of the library that Kubernetes reads it with; undefined: nothing. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptorProblem(schedule);
  const fields = schedule.split(/\s+/).filter(Boolean);
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
  if (DESCRIPTORS.includes(descriptor)) return undefined;
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
