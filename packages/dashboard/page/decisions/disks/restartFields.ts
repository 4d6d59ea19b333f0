/** A field of a VM's template that a restart would change. Undefined values: it is not there. */
export interface ChangedField {
  /** Such as `domain.memory.guest`. */
  readonly path: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const LONGEST_VALUE = 60;
/** Fields that reach a running guest without a restart. */
const LIVE = /^(nodeSelector|affinity|tolerations)\b/;

/**
 * How a VM's template differs from what its guest runs with. `started` is the template of the start, where that is known;
 * without it, only what the template names is compared, as an instance has defaults, too.
 */
export function changedFields(started: unknown, current: unknown, running: unknown): ChangedField[] {
  const fromRunning = differences(running, current, false, '');
  const found =
    started === undefined
      ? fromRunning
      : differences(started, current, true, '').filter((field) => !isLiveAlready(field, fromRunning, running));
  return found.filter(({ path }) => !LIVE.test(path));
}

/** Whether a change has reached the guest without a restart, such as a disk that was plugged in. */
function isLiveAlready({ path, to }: ChangedField, fromRunning: readonly ChangedField[], running: unknown): boolean {
  if (to === undefined) return valueAt(running, path) === undefined;
  return !fromRunning.some(
    (each) => each.path === path || each.path.startsWith(`${path}.`) || path.startsWith(`${each.path}.`),
  );
}

function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((at, key) => {
    const record = Array.isArray(at) && hasNames(at) ? byName(at) : at;
    return isRecord(record) ? record[key] : undefined;
  }, value);
}

function differences(from: unknown, to: unknown, isWhole: boolean, path: string): ChangedField[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  if (Array.isArray(from) && Array.isArray(to) && hasNames(from) && hasNames(to))
    return differences(byName(from), byName(to), isWhole, path);
  if (isRecord(from) && isRecord(to)) {
    const keys = new Set([...(isWhole ? Object.keys(from) : []), ...Object.keys(to)]);
    return [...keys].flatMap((key) => {
      const next = path === '' ? key : `${path}.${key}`;
      return differences(from[key], to[key], isWhole, next);
    });
  }
  // A default that was filled in is no change.
  if (!isWhole && (to === undefined || isEmpty(to)) && from !== undefined) return [];
  return [{ path, from: valueText(from), to: valueText(to) }];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;

/** Lists of disks, volumes and cards are told apart by names, not places. */
const hasNames = (list: readonly unknown[]): list is { name: string }[] =>
  list.every((each) => isRecord(each) && typeof each.name === 'string');

const byName = (list: readonly { readonly name: string }[]): Record<string, unknown> =>
  Object.fromEntries(list.map(({ name, ...rest }) => [name, rest]));

function valueText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

/** `domain.memory.guest: 256Mi → 512Mi`. */
export const changeText = ({ path, from, to }: ChangedField): string =>
  `${path}: ${from ?? 'not set'} → ${to ?? 'removed'}`;
