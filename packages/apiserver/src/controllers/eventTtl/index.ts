import { Event } from '@vireo/api';
import { type ControllerContext, ignoreNotFoundOrConflict, runController, systemClock } from '@vireo/kube';
import { expiresInMs } from './status.ts';

export const EVENT_TTL_USER = 'system:serviceaccount:kube-system:event-ttl-controller';

/** Removes events an hour after they last happened. Each waits for its own moment; nothing is scanned. */
export async function startEventTtlController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const events = informers.for(Event);
  await runController(
    {
      name: 'event-ttl',
      for: events,
      concurrency: 4,
      reconcile: async (key) => {
        const event = events.get(key);
        if (!event) return undefined;
        const restMs = expiresInMs(event, clock.now());
        if (restMs > 0) return { requeueAfterMs: restMs };
        await client.of(Event).deleteExactly(event).catch(ignoreNotFoundOrConflict);
        return undefined;
      },
    },
    context,
    signal,
  );
}
