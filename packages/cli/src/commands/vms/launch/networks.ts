import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { Failure } from '../../../failure.ts';
import type { Connection } from '../connection.ts';
import { orFail } from '../refusal.ts';

/** Refuses networks that do not exist: the VM would wait for them. */
export async function expectNetworks(connection: Connection, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { namespace, definition } = splitNetwork(name, connection.namespace);
    const { items } = await orFail(
      connection,
      (why) => `cannot list the networks in namespace ${namespace}: ${why}`,
      () => connection.client.of(NetworkAttachmentDefinition).list({ namespace }),
    );
    const known = items.map(({ metadata }) => metadata.name);
    if (!known.includes(definition)) throw noNetwork(definition, namespace, known);
  }
}

/** `lab`, or `team/lab` for one of another namespace. */
function splitNetwork(name: string, namespace: string): { namespace: string; definition: string } {
  const [first = '', second] = name.split('/');
  return second === undefined ? { namespace, definition: first } : { namespace: first, definition: second };
}

function noNetwork(name: string, namespace: string, known: readonly string[]): Failure {
  const message = `network ${JSON.stringify(name)} not found in namespace ${namespace}`;
  if (known.length > 0) return new Failure(message, `Available networks: ${known.join(', ')}`);
  return new Failure(
    message,
    'Create a NetworkAttachmentDefinition first (docs/networks.md). Every VM is also on the pod network.',
  );
}
