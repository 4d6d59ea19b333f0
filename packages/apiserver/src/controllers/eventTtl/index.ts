import { Event, isReason } from '@vireo/api';
import { keyOf, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { expiresInMs } from './status.ts';

export const EVENT_TTL_USER = 'system:serviceaccount:kube-system:event-ttl-controller';

/** Removes events an hour after they last happened. Each waits for its own moment; nothing is scanned. */
export async function startEventTtlController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const events = informers.for(Event);
  const queue = new WorkQueue();
  events.on({
    added: (event) => queue.add(keyOf(event)),
    updated: (_, event) => queue.add(keyOf(event)),
    // Events that go earlier would leave a timer each behind, for an hour.
    deleted: (event) => queue.cancelAfter(keyOf(event)),
  });
  await runController(
    {
      name: 'event-ttl',
      queue,
      informers: [events],
      concurrency: 4,
      log: context.log,
      metrics: context.metrics,
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
