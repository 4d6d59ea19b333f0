import {
  ACTIONS,
  type Action,
  type May,
  migratePermission,
  type Offer,
  offerFor,
  type Permission,
  WORDS,
} from './actions.ts';
import { asking } from './asking.ts';
import { createOffer } from './create/offer.ts';
import { type Has, isServed, SNAPSHOTS } from './features.ts';
import { makingOffer, uploadOffer } from './images/making.ts';
import type { Machine } from './machine.ts';
import { MACHINE_TABS, servedTabs, tabAddress } from './machineTabs.ts';
import { PLACES } from './navigation.ts';
import { offerOf } from './offers.ts';
import { NAMESPACES_PATH, shelves } from './shelves.ts';
import { PERMISSIONS, takeObstacle } from './snapshots/requests.ts';

/** What a command of the palette does. */
export type Effect =
  | { readonly kind: 'go'; readonly href: string }
  | { readonly kind: 'act'; readonly action: Action; readonly machine: Machine }
  | { readonly kind: 'namespace'; readonly namespace: string | undefined }
  | { readonly kind: 'pickNamespace' }
  | { readonly kind: 'tasks' }
  | { readonly kind: 'theme'; readonly theme: 'system' | 'light' | 'dark' }
  | { readonly kind: 'keys' }
  | { readonly kind: 'logOut' };

/** A line of the palette. */
export interface Command {
  /** The same for the same command on every visit. */
  readonly id: string;
  readonly title: string;
  /** What it belongs to: `Page`, a namespace. */
  readonly hint: string;
  readonly effect: Effect;
  /** Why it cannot be used now. */
  readonly reason?: string | undefined;
}

const go = (id: string, title: string, hint: string, href: string): Command => ({
  id,
  title,
  hint,
  effect: { kind: 'go', href },
});

const unlessRefused = (command: Command, { isOffered, reason = 'Not now.' }: Offer): Command =>
  isOffered ? command : { ...command, reason };

/** What can be done on every page. */
const fixed = ({ may, has, namespace }: Known): readonly Command[] => [
  ...PLACES.filter(({ needs }) => isServed(has, needs)).map(({ href, title }) =>
    go(`page ${href}`, title, 'Page', href),
  ),
  unlessRefused(go('create', 'Create a machine', 'Page', '/create'), createOffer(may, namespace)),
  unlessRefused(
    go('upload', 'Upload a disk image', 'Images and volumes', asking('/images', 'upload')),
    uploadOffer(may, has, namespace),
  ),
  unlessRefused(
    go('import', 'Import a disk image', 'Images and volumes', asking('/images', 'import')),
    makingOffer(may, has, namespace),
  ),
  { id: 'tasks', title: 'Tasks', hint: 'Page', effect: { kind: 'tasks' } },
  { id: 'namespace', title: 'Change namespace', hint: 'Namespace', effect: { kind: 'pickNamespace' } },
  ...(['system', 'light', 'dark'] as const).map((theme) => ({
    id: `theme ${theme}`,
    title: `Theme: ${theme}`,
    hint: 'Setting',
    effect: { kind: 'theme' as const, theme },
  })),
  { id: 'keys', title: 'Keyboard shortcuts', hint: 'Help', effect: { kind: 'keys' } },
  { id: 'logOut', title: 'Log out', hint: 'Session', effect: { kind: 'logOut' } },
];

/** Opening a machine. */
export const opening = (machine: Machine): Command =>
  go(`open ${machine.key}`, machine.name, `Machine in ${machine.namespace}`, tabAddress(machine));

/** What can be done with a machine; what cannot says why. */
export function commandsFor(machine: Machine, may: May, has: Has): Command[] {
  const { key, name, namespace } = machine;
  const hint = `in ${namespace}`;
  return [
    ...ACTIONS.map((action) => {
      const title = `${WORDS[action].verb} ${name}`;
      const command: Command = { id: `${action} ${key}`, title, hint, effect: { kind: 'act', action, machine } };
      return unlessRefused(command, offerFor(action, [machine], may));
    }),
    ...dialogsFor(machine, may, has),
    ...servedTabs(has).map(({ key: tab, title }) =>
      go(`${tab} ${key}`, `${title} of ${name}`, hint, tabAddress(machine, tab)),
    ),
  ];
}

/** What opens a dialog on a page of the machine. */
function dialogsFor(machine: Machine, may: May, has: Has): Command[] {
  const { key, name, namespace, isVm } = machine;
  const dialog = (what: 'migrate' | 'take' | 'clone', title: string, tab: string, offer: Offer): Command =>
    unlessRefused(go(`${what} ${key}`, title, `in ${namespace}`, asking(tabAddress(machine, tab), what)), offer);
  const moves = offerOf(may, migratePermission(isVm), namespace, moveObstacle(machine));
  const offered = (permission: Permission): Offer =>
    offerOf(may, permission, namespace, takeObstacle(machine, undefined));
  return [
    dialog('migrate', `Migrate ${name}`, 'overview', moves),
    ...(isServed(has, [SNAPSHOTS])
      ? [
          dialog('take', `Take a snapshot of ${name}`, 'snapshots', offered(PERMISSIONS.take)),
          dialog('clone', `Clone ${name}`, 'snapshots', offered(PERMISSIONS.clone)),
        ]
      : []),
  ];
}

/** As far as the list tells; the page of the machine knows more. */
function moveObstacle({ isDeleting, hasInstance, state, move }: Machine): string | undefined {
  if (isDeleting) return 'It is being deleted.';
  if (hasInstance === false || state.group === 'off') return 'It is not running.';
  return move ? 'It is migrating already.' : undefined;
}

/** Words of the titles of what is done with machines. */
const VERBS = [
  ...ACTIONS.map((action) => WORDS[action].verb),
  ...MACHINE_TABS.map(({ title }) => title),
  'Migrate',
  'Take a snapshot of',
  'Clone',
].flatMap((title) => title.toLowerCase().split(' '));
/** Of how many machines commands are made: nobody reads more. */
const MOST_MACHINES = 20;

/** What commands are made of. */
export interface Known {
  readonly machines: readonly Machine[];
  /** The machine on the page. */
  readonly current: Machine | undefined;
  readonly may: May;
  readonly has: Has;
  /** Undefined: all of them. */
  readonly namespace: string | undefined;
  /** Whether all namespaces can be shown together. */
  readonly mayShowAll: boolean;
  /** `namespace/name` of the objects in a list, if it is loaded; nothing is loaded for the palette. */
  readonly keysAt: (path: string) => readonly string[];
}

/** Other namespaces, and objects with a page of their own, as far as their lists are loaded. */
function places({ namespace, mayShowAll, keysAt }: Known): Command[] {
  const change = (to: string | undefined): Command => ({
    id: `namespace ${to ?? ''}`,
    title: to === undefined ? 'All namespaces' : `Namespace ${to}`,
    hint: 'Namespace',
    effect: { kind: 'namespace', namespace: to },
  });
  const names = keysAt(NAMESPACES_PATH).map((key) => splitKey(key).name);
  return [
    ...(mayShowAll && namespace !== undefined ? [change(undefined)] : []),
    ...names.filter((name) => name !== namespace).map(change),
    ...shelves(namespace).flatMap(({ path, title, hrefOf }) =>
      keysAt(path).map((key) => {
        const { namespace: of, name } = splitKey(key);
        return go(`${title} ${key}`, name, of === '' ? title : `${title} in ${of}`, hrefOf(of, name));
      }),
    ),
  ];
}

function splitKey(key: string): { readonly namespace: string; readonly name: string } {
  const at = key.indexOf('/');
  return { namespace: key.slice(0, at), name: key.slice(at + 1) };
}

/** The commands that a text could mean. */
export function candidates(text: string, known: Known): Command[] {
  const { machines, current, may, has } = known;
  const words = wordsOf(text);
  const isVerb = (word: string): boolean => VERBS.some((verb) => verb.startsWith(word));
  // A word may be both: a machine can be called `net`.
  const named =
    words.length > 1 && words.some(isVerb)
      ? machines.filter(
          ({ name }) =>
            words.some((word) => name.includes(word)) && words.every((word) => isVerb(word) || name.includes(word)),
        )
      : [];
  return [
    ...(current ? commandsFor(current, may, has) : []),
    ...fixed(known),
    ...machines.map(opening),
    ...places(known),
    ...named
      .filter(({ key }) => key !== current?.key)
      .slice(0, MOST_MACHINES)
      .flatMap((machine) => commandsFor(machine, may, has)),
  ];
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

const MOST_SHOWN = 50;

/** The commands that fit a text, best first: recent ones, then those whose title begins with it. */
export function ranked(commands: readonly Command[], text: string, recent: readonly string[]): Command[] {
  const words = wordsOf(text);
  return commands
    .map((command, index) => ({ command, index, score: score(command, words, recent) }))
    .filter((each) => each.score !== undefined)
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0) || a.index - b.index)
    .slice(0, MOST_SHOWN)
    .map(({ command }) => command);
}

function score({ id, title, hint }: Command, words: readonly string[], recent: readonly string[]): number | undefined {
  const name = title.toLowerCase();
  const all = `${name} ${hint.toLowerCase()}`;
  if (!words.every((word) => all.includes(word))) return undefined;
  const at = recent.indexOf(id);
  const recency = at < 0 ? 0 : 40 - at;
  const starts = words.filter((word) => name.startsWith(word) || name.includes(` ${word}`)).length;
  const isWhole = words.length > 0 && name === words.join(' ');
  return recency + starts * 10 + (words[0] && name.startsWith(words[0]) ? 20 : 0) + (isWhole ? 100 : 0);
}

const MOST_RECENT = 8;

/** The recent commands after one was used. */
export const withRecent = (recent: readonly string[], id: string): string[] =>
  [id, ...recent.filter((each) => each !== id)].slice(0, MOST_RECENT);
