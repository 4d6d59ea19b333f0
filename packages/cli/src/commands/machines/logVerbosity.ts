import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { Failure } from '../../failure.ts';
import { type Connection, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { orFail } from './refusal.ts';

/** The components, and their fields in the KubeVirt object. */
export const COMPONENTS = {
  'virt-api': 'virtAPI',
  'virt-controller': 'virtController',
  'virt-handler': 'virtHandler',
  'virt-launcher': 'virtLauncher',
  'virt-operator': 'virtOperator',
} as const;
type Component = keyof typeof COMPONENTS;
type Levels = Partial<Record<(typeof COMPONENTS)[Component], number>>;

const DEFAULT_LEVEL = 2;

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

/** Shows or changes how much the components of the installation write to their logs. */
export async function logVerbosity(asked: Asked, options: ConnectionOptions): Promise<void> {
  const wanted = readVerbosity(asked);
  await connected(options, async (connection) => {
    const installation = await installationOf(connection);
    const current: Levels = installation.spec?.configuration?.developerConfiguration?.logVerbosity ?? {};
    if (wanted.type === 'show') {
      for (const name of wanted.components) console.log(`${name} = ${current[COMPONENTS[name]] ?? DEFAULT_LEVEL}`);
      return;
    }
    const cleared = wanted.reset ? Object.fromEntries(Object.values(COMPONENTS).map((field) => [field, null])) : {};
    const patch = {
      spec: { configuration: { developerConfiguration: { logVerbosity: { ...cleared, ...wanted.levels } } } },
    };
    const { name = '', namespace } = installation.metadata;
    await orFail(
      connection,
      (why) => `cannot change KubeVirt ${namespace}/${name}: ${why}`,
      () => connection.client.of(KubeVirt).patch(name, patch, { namespace, type: 'merge' }),
    );
    if (wanted.reset) console.log('successfully reset the verbosity of all KubeVirt components to default (2)');
    if (Object.keys(wanted.levels).length > 0)
      console.log('successfully set the verbosity of the KubeVirt component(s)');
  });
}

/** The one object that describes the installation. */
export async function installationOf(connection: Connection): Promise<KubeVirt> {
  const { items } = await orFail(
    connection,
    (why) => `could not list KubeVirt CRs across all namespaces: ${why}`,
    () => connection.client.of(KubeVirt).list(),
  );
  const [installation, ...more] = items;
  if (!installation) throw new Failure('could not detect a KubeVirt installation', 'Does this server run machines?');
  if (more.length > 0) throw new Failure('invalid kubevirt installation, more than one KubeVirt resource found');
  return installation;
}
