import type { Persisted } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { Failure } from '../../failure.ts';
import { type Connection, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { orFail } from './refusal.ts';
import { type Asked, COMPONENTS, type Levels, readVerbosity } from './verbosity.ts';

const DEFAULT_LEVEL = 2;

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
    const { name, namespace } = installation.metadata;
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
export async function installationOf(connection: Connection): Promise<Persisted<KubeVirt>> {
  const { items } = await orFail(
    connection,
    (why) => `could not list KubeVirt CRs across all namespaces: ${why}`,
    () => connection.client.of(KubeVirt).list(),
  );
  const [installation, ...more] = items;
  if (!installation) throw new Failure('could not detect a KubeVirt installation', 'Does this server run VMs?');
  if (more.length > 0) throw new Failure('invalid kubevirt installation, more than one KubeVirt resource found');
  return installation;
}
