import { isDeleting } from '@vireo/api';
import { KeyPair } from '@vireo/api/kinds/harvester/keyPair.ts';
import { type ControllerContext, runController, systemClock } from '@vireo/kube';
import { keyPairStatus } from './status.ts';

/** Writes the fingerprints of Harvester's KeyPairs. */
export async function startKeyPairController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const pairs = informers.for(KeyPair);
  const reconcile = async (key: string): Promise<void> => {
    const pair = pairs.get(key);
    if (pair && !isDeleting(pair))
      await client.of(KeyPair).writeStatus(pair, keyPairStatus(pair, new Date(clock.now())));
  };
  await runController({ name: 'keypair', for: pairs, reconcile }, context, signal);
}
