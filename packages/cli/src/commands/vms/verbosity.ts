import { Failure } from '../../failure.ts';

/** The components, and their fields in the KubeVirt object. */
export const COMPONENTS = {
  'virt-api': 'virtAPI',
  'virt-controller': 'virtController',
  'virt-handler': 'virtHandler',
  'virt-launcher': 'virtLauncher',
  'virt-operator': 'virtOperator',
} as const;
/** A component by the name of its flag. */
export type Component = keyof typeof COMPONENTS;
/** Levels by field of the KubeVirt object. */
export type Levels = Partial<Record<(typeof COMPONENTS)[Component], number>>;

/** What was given for each component and for all: true to be shown it, a text to set it. */
export type Asked = Readonly<Partial<Record<Component | 'all', string | true>>> & { readonly reset?: boolean };

export type Verbosity =
  | { readonly type: 'show'; readonly components: readonly Component[] }
  | { readonly type: 'set'; readonly levels: Levels; readonly reset: boolean };

/** What is asked for: to show or to set, never both. */
export function readVerbosity({ reset = false, ...asked }: Asked): Verbosity {
  const given = Object.entries(asked).filter((entry): entry is [Component | 'all', string | true] => Boolean(entry[1]));
  const shown = given.filter(([, value]) => value === true).map(([name]) => name);
  const set = given.filter((entry): entry is [Component | 'all', string] => typeof entry[1] === 'string');
  if (shown.length > 0 && (set.length > 0 || reset)) throw new Failure('only show or set is allowed');
  if (given.length === 0 && !reset)
    throw new Failure('no flag specified - expecting at least one flag', 'For example: --all, or --virt-handler=7');
  const all = Object.keys(COMPONENTS) as Component[];
  if (shown.length > 0)
    return { type: 'show', components: shown.includes('all') ? all : all.filter((each) => shown.includes(each)) };
  const everyone = set
    .filter(([name]) => name === 'all')
    .flatMap(([name, text]) => all.map((each) => [each, level(name, text)] as const));
  const single = set.flatMap(([name, text]) => (name === 'all' ? [] : [[name, level(name, text)] as const]));
  const levels = Object.fromEntries([...everyone, ...single].map(([name, value]) => [COMPONENTS[name], value]));
  return { type: 'set', levels, reset };
}

function level(name: string, text: string): number {
  if (/^[0-9]$/.test(text)) return Number(text);
  throw new Failure(`${name}: log verbosity must be 0-9`, `For example: --${name}=3`);
}
