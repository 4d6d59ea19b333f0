import type { Column } from '../kind.ts';
import type { KubeObject } from '../meta.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** A span of time as kubectl writes it: two units while that tells something, then one (`90s`, `2m30s`, `3h5m`, `4d`). */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return twoUnits(seconds, MINUTE, 'm', 1, 's');
  if (seconds < 3 * HOUR) return `${Math.trunc(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return twoUnits(seconds, HOUR, 'h', MINUTE, 'm');
  if (seconds < 2 * DAY) return `${Math.trunc(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return twoUnits(seconds, DAY, 'd', HOUR, 'h');
  if (seconds < 2 * YEAR) return `${Math.trunc(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return twoUnits(seconds, YEAR, 'y', DAY, 'd');
  return `${Math.trunc(seconds / YEAR)}y`;
}

function twoUnits(seconds: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.trunc((seconds % large) / small);
  return `${Math.trunc(seconds / large)}${largeName}${rest === 0 ? '' : `${rest}${smallName}`}`;
}

/** How long ago `timestamp` was. */
export const age = (timestamp: string | undefined, now: Date): string =>
  timestamp === undefined ? '<unknown>' : humanDuration(now.getTime() - Date.parse(timestamp));

/** The AGE that nearly every kind shows. */
export const ageColumn: Column<KubeObject> = {
  name: 'Age',
  type: 'string',
  description: 'How long ago the object was made.',
  value: (object, now) => age(object.metadata.creationTimestamp, now),
};

/** Labels as a selector would be typed: `app=web,tier=front`. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const entries = Object.entries(labels ?? {});
  if (entries.length === 0) return '<none>';
  return entries
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',');
}

interface Requirement {
  key: string;
  operator: string;
  values?: string[];
}

/** A label selector in the notation of `kubectl get -l`. */
export function formatSelector(
  selector: { matchLabels?: Record<string, string>; matchExpressions?: Requirement[] } | undefined,
): string {
  if (selector === undefined) return '<none>';
  const parts = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...(selector.matchExpressions ?? []).map((requirement) => ({
      key: requirement.key,
      text: formatRequirement(requirement),
    })),
  ];
  if (parts.length === 0) return '<none>';
  return parts
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',');
}

function formatRequirement({ key, operator, values = [] }: Requirement): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${[...values].sort().join(',')})`;
}

/** The first `most` items, and how many more there are. */
export function formatFirst(items: readonly string[], most: number, empty: string): string {
  if (items.length === 0) return empty;
  const shown = items.slice(0, most).join(',');
  return items.length > most ? `${shown} + ${items.length - most} more...` : shown;
}

interface Template {
  spec?: { containers?: readonly { name: string; image?: string }[] };
}

interface Replicated {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number };
}

/** How many replicas there should be, are, and are ready. */
export const replicaColumns = <T extends Replicated>(): Column<T>[] => [
  {
    name: 'Desired',
    type: 'integer',
    description: 'Desired number of pods.',
    value: ({ spec }) => spec?.replicas ?? 0,
  },
  {
    name: 'Current',
    type: 'integer',
    description: 'Current number of pods.',
    value: ({ status }) => status?.replicas ?? 0,
  },
  {
    name: 'Ready',
    type: 'integer',
    description: 'Number of pods that are ready.',
    value: ({ status }) => status?.readyReplicas ?? 0,
  },
];

/** The wide columns of every kind that makes pods from a template. */
export const templateColumns = <T>(
  of: (object: T) => { template?: Template; selector?: Parameters<typeof formatSelector>[0] } | undefined,
): Column<T>[] => [
  {
    name: 'Containers',
    type: 'string',
    priority: 1,
    description: 'Names of the containers in the template.',
    value: (object) =>
      containersOf(of(object)?.template)
        .map(({ name }) => name)
        .join(','),
  },
  {
    name: 'Images',
    type: 'string',
    priority: 1,
    description: 'Images of the containers in the template.',
    value: (object) =>
      containersOf(of(object)?.template)
        .map(({ image }) => image ?? '')
        .join(','),
  },
  {
    name: 'Selector',
    type: 'string',
    priority: 1,
    description: 'Which pods belong to this object.',
    value: (object) => formatSelector(of(object)?.selector),
  },
];

const containersOf = (template: Template | undefined) => template?.spec?.containers ?? [];
