import type { KubeObject, UnknownObject } from '@vireo/api';
import { type Client, consoleLog, Informer, ignoreAlreadyExists, keyOf, type Log, runController } from '@vireo/kube';
import { kindOf, withChecksum } from './install.ts';

/**
 * Makes objects of an installation anew when somebody deletes them: without its APIServices and webhook configurations
 * nobody asks the extension any more, and without its policies nodes are not limited. What was changed in them stays as
 * it is until the next start. Resolves when the signal has stopped it.
 */
export async function keepInstalled(
  client: Client,
  objects: readonly KubeObject[],
  signal: AbortSignal,
  log: Log = consoleLog,
): Promise<void> {
  const kinds = Map.groupBy(objects, kindOf);
  await Promise.all(
    [...kinds].map(async ([kind, wanted]) => {
      const resource = client.of<UnknownObject>(kind);
      const informer = new Informer<UnknownObject>(resource, { log });
      const reconcile = async (key: string): Promise<void> => {
        const object = wanted.find((each) => keyOf(each) === key);
        if (!object || informer.get(key)) return;
        await resource.create(withChecksum(object) as UnknownObject).catch(ignoreAlreadyExists);
      };
      informer.start(signal);
      await runController({ name: `installed-${kind.plural}`, for: informer, reconcile }, { log }, signal);
    }),
  );
}
