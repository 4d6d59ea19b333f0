import type { ConsoleRef } from './guest.ts';

/** `serial/NAMESPACE/NAME`: how a console is written in addresses. */
export type ConsoleKey = string;

/** Which consoles are open, which of them are seen side by side, and which one is used. */
export interface Workspace {
  readonly open: readonly ConsoleKey[];
  /** At least one if any is open, at most four. */
  readonly shown: readonly ConsoleKey[];
  /** One of those that are shown; undefined if nothing is open. */
  readonly active: ConsoleKey | undefined;
}

export const MOST_SHOWN = 4;
/** Each holds a connection; a forged address must not open hundreds. */
export const MOST_OPEN = 16;

export const keyOfConsole = ({ kind, namespace, name }: ConsoleRef): ConsoleKey => `${kind}/${namespace}/${name}`;

/** Undefined for what is no console. */
export function consoleOfKey(key: ConsoleKey): ConsoleRef | undefined {
  const [kind, namespace, name, ...rest] = key.split('/');
  if ((kind !== 'serial' && kind !== 'screen') || !namespace || !name || rest.length > 0) return undefined;
  return { kind, namespace, name };
}

/** Reads the query of the address; what makes no sense in it is left out. */
export function parseWorkspace(query: URLSearchParams): Workspace {
  const open = listOf(query.get('open')).filter((key) => consoleOfKey(key) !== undefined);
  const shown = listOf(query.get('shown')).filter((key) => open.includes(key));
  return settled(open.slice(0, MOST_OPEN), shown, query.get('at') ?? undefined);
}

/** The query of an address; empty if nothing is open. */
export function workspaceQuery({ open, shown, active }: Workspace): string {
  if (open.length === 0) return '';
  const isPlain = shown.length === 1 && shown[0] === open[0];
  const parts = [
    `open=${listText(open)}`,
    ...(isPlain ? [] : [`shown=${listText(shown)}`]),
    ...(active === shown[0] || active === undefined ? [] : [`at=${listText([active])}`]),
  ];
  return `?${parts.join('&')}`;
}

/** Opens a console, in place of the one that is used. */
export function openConsole(workspace: Workspace, key: ConsoleKey): Workspace {
  if (workspace.open.includes(key)) return showConsole(workspace, key);
  if (workspace.open.length >= MOST_OPEN) return workspace;
  return showConsole({ ...workspace, open: [...workspace.open, key] }, key);
}

/** Shows a console that is open: where it is, or in place of the one that is used. */
export function showConsole({ open, shown, active }: Workspace, key: ConsoleKey): Workspace {
  if (shown.includes(key)) return { open, shown, active: key };
  const place = active === undefined ? -1 : shown.indexOf(active);
  return { open, shown: place < 0 ? [key] : shown.with(place, key), active: key };
}

/** Shows one more of those that are open beside the others. */
export function splitWorkspace({ open, shown, active }: Workspace): Workspace {
  const next = open.find((key) => !shown.includes(key));
  if (next === undefined || shown.length >= MOST_SHOWN) return { open, shown, active };
  return { open, shown: [...shown, next], active: next };
}

/** Shows one less; it stays open. */
export const unsplit = ({ open, shown, active }: Workspace, key: ConsoleKey): Workspace =>
  shown.length < 2
    ? { open, shown, active }
    : settled(
        open,
        shown.filter((each) => each !== key),
        active,
      );

/** Closes a console; where it was the only one shown, its neighbour is shown. */
export function closeConsole({ open, shown, active }: Workspace, key: ConsoleKey): Workspace {
  const place = open.indexOf(key);
  const left = open.filter((each) => each !== key);
  const leftShown = shown.filter((each) => each !== key);
  const neighbour = left[Math.min(place, left.length - 1)];
  return settled(left, leftShown.length === 0 && neighbour ? [neighbour] : leftShown, active);
}

function settled(open: readonly ConsoleKey[], shown: readonly ConsoleKey[], active: string | undefined): Workspace {
  const seen = shown.filter((key) => open.includes(key)).slice(0, MOST_SHOWN);
  if (seen.length === 0 && open[0] !== undefined) seen.push(open[0]);
  return { open, shown: seen, active: active !== undefined && seen.includes(active) ? active : seen[0] };
}

const listOf = (text: string | null): string[] => [...new Set((text ?? '').split(',').filter((part) => part !== ''))];

/** Slashes and commas are legible in a query, and names of Kubernetes have nothing else to escape. */
const listText = (keys: readonly ConsoleKey[]): string =>
  encodeURIComponent(keys.join(',')).replaceAll('%2F', '/').replaceAll('%2C', ',');
