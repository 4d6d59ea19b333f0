import { isDeleting, Node, type Persisted, Secret } from '@vireo/api';
import { INVENTORY_NAMESPACE, Inventory } from '@vireo/api/kinds/harvester/inventory.ts';
import { type Client, type ControllerContext, type Result, runController, systemClock } from '@vireo/kube';
import { reconcilePower } from './reconcile.ts';
import type { Credentials } from './status.ts';

const CONCURRENCY = 4;

/** Switches hosts on and off through their baseboard management controllers, which speak Redfish. */
export async function startPowerController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const inventories = informers.for(Inventory);
  const nodes = informers.for(Node);
  await runController(
    {
      name: 'power',
      for: inventories,
      // What is told of the contact is no reason to look again.
      reads: [nodes],
      concurrency: CONCURRENCY,
      reconcile: async (key): Promise<Result | undefined> => {
        const inventory = inventories.get(key);
        // Elsewhere anybody could have the controllers send Secrets to a host of theirs.
        if (!inventory || isDeleting(inventory) || inventory.metadata.namespace !== INVENTORY_NAMESPACE)
          return undefined;
        return reconcilePower(inventory, {
          client,
          credentials: await credentialsOf(inventory, client),
          recordEvent: (type, reason, message) => {
            recorder.event(inventory, type, reason, message);
            const node = nodes.get(inventory.metadata.name);
            if (node) recorder.event(node, type, reason, message);
          },
          now: () => new Date(clock.now()),
          signal,
        });
      },
    },
    context,
    signal,
  );
}

async function credentialsOf({ metadata, spec }: Persisted<Inventory>, client: Client): Promise<Credentials> {
  const { name } = spec.baseboardSpec.connection.authSecretRef;
  const secret = await client.of(Secret).find(name, { namespace: metadata.namespace });
  return (
    secret &&
    Object.fromEntries(
      Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
    )
  );
}
