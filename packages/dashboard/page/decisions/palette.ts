import { ACTIONS, type Action, type May, type Offer, offerFor, WORDS } from './actions.ts';
import { createOffer } from './create/offer.ts';
import { CONSOLES, GRAPHS, type Has, isServed, SCREENS, type Served } from './features.ts';
import type { Machine } from './machine.ts';
import { PLACES } from './navigation.ts';

/** What a command of the palette does. */
export type Effect =
  | { readonly kind: 'go'; readonly href: string }
  | { readonly kind: 'act'; readonly action: Action; readonly machine: Machine }
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
const fixed = (may: May, has: Has, namespace: string | undefined): readonly Command[] => [
  ...PLACES.filter(({ needs }) => isServed(has, needs)).map(({ href, title }) =>
    go(`page ${href}`, title, 'Page', href),
  ),
  unlessRefused(go('create', 'Create a machine', 'Page', '/create'), createOffer(may, namespace)),
  ...(['system', 'light', 'dark'] as const).map((theme) => ({
    id: `theme ${theme}`,
    title: `Theme: ${theme}`,
    hint: 'Setting',
    effect: { kind: 'theme' as const, theme },
  })),
  { id: 'keys', title: 'Keyboard shortcuts', hint: 'Help', effect: { kind: 'keys' } },
  { id: 'logOut', title: 'Log out', hint: 'Session', effect: { kind: 'logOut' } },
];

const TABS: readonly (readonly [string, string, Served?])[] = [
  ['console', 'Console', CONSOLES],
  ['screen', 'Screen', SCREENS],
  ['graph', 'Depends on', GRAPHS],
  ['events', 'Events'],
  ['yaml', 'YAML'],
];

const addressOf = ({ namespace, name }: Machine): string => `/machines/${namespace}/${name}`;

/** Opening a machine. */
export const opening = (machine: Machine): Command =>
  go(`open ${machine.key}`, machine.name, `Machine in ${machine.namespace}`, addressOf(machine));

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
    ...TABS.filter(([, , needs]) => isServed(has, needs && [needs])).map(([tab, title]) =>
      go(`${tab} ${key}`, `${title} of ${name}`, hint, `${addressOf(machine)}/${tab}`),
    ),
  ];
}

/** Words that begin the titles of what is done with machines. */
const VERBS = [...ACTIONS.map((action) => WORDS[action].verb), ...TABS.map(([, title]) => title)].flatMap((title) =>
  title.toLowerCase().split(' '),
);
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
}

/** The commands that a text could mean. */
export function candidates(text: string, { machines, current, may, has, namespace }: Known): Command[] {
  const words = wordsOf(text);
  const isVerb = (word: string): boolean => VERBS.some((verb) => verb.startsWith(word));
  const rest = words.filter((word) => !isVerb(word));
  const named =
    words.some(isVerb) && rest.length > 0
      ? machines.filter(({ name }) => rest.every((word) => name.includes(word)))
      : [];
  return [
    ...(current ? commandsFor(current, may, has) : []),
    ...fixed(may, has, namespace),
    ...machines.map(opening),
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
