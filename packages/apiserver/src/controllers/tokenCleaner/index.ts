import { Secret } from '@vireo/api';
import { type ControllerContext, ignoreNotFoundOrConflict, runController, systemClock } from '@vireo/kube';
import { BOOTSTRAP_TOKEN_TYPE } from '@vireo/kube/joining/bootstrapToken.ts';
import { bootstrapTokenEndsAt } from '../../auth/bootstrapTokens.ts';

export const TOKEN_CLEANER_USER = 'system:serviceaccount:kube-system:token-cleaner';

/** The longest that a timer waits; a token that ends later is looked at again then. */
const LONGEST_MS = 24 * 3600 * 1000;

/** Removes bootstrap tokens when their time is over. */
export async function startTokenCleaner(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const secrets = informers.for(Secret, { namespace: 'kube-system', fieldSelector: `type=${BOOTSTRAP_TOKEN_TYPE}` });
  await runController(
    {
      name: 'token-cleaner',
      for: secrets,
      reconcile: async (key) => {
        const secret = secrets.get(key);
        if (!secret) return undefined;
        const restMs = bootstrapTokenEndsAt(secret) - clock.now();
        if (restMs === Number.POSITIVE_INFINITY) return undefined;
        if (restMs > 0) return { requeueAfterMs: Math.min(restMs, LONGEST_MS) };
        await client.of(Secret).deleteExactly(secret).catch(ignoreNotFoundOrConflict);
        return undefined;
      },
    },
    context,
    signal,
  );
}
