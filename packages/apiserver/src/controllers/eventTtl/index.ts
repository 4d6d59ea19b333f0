import { Event, isReason } from '@vireo/api';
import { runController, systemClock } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { expiresInMs } from './status.ts';

export const EVENT_TTL_USER = 'system:serviceaccount:kube-system:event-ttl-controller';

/** Removes events an hour after they last happened. Each waits for its own moment; nothing is scanned. */
export async function startEventTtlController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const events = informers.for(Event);
  await runController(
    {
      name: 'event-ttl',
      informers: [events],
      concurrency: 4,
      log: context.log,
      reconcile: async (key) => {
        const event = events.get(key);
        if (!event) return undefined;
        const restMs = expiresInMs(event, clock.now());
        if (restMs > 0) return { requeueAfterMs: restMs };
        const { name = '', namespace, uid } = event.metadata;
        await client
          .of(Event)
          .delete(name, { namespace, preconditions: { uid } })
          .catch((error: unknown) => {
            if (!isReason(error, 'NotFound', 'Conflict')) throw error;
          });
        return undefined;
      },
    },
    signal,
  );
}
