import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { NodeContext } from '../context.ts';
import { readVmi } from '../fencing/readVmi.ts';
import type { LocalVmi } from '../vmi/localVmi.ts';
import { targetOf } from './outgoing.ts';
import type { PeerCertificates } from './peerCertificates.ts';
import { ANSWER_MS, PeerSession } from './peerClient.ts';
import type { OutcomeAnswer } from './peerProtocol.ts';
import { type HandedOver, writtenOutcome } from './role.ts';

/** Where the guest of a migration is by the word of its target, or by its VMI; undefined while that is not known. */
export async function askOutcome(
  { key, uid, vmi }: Pick<LocalVmi, 'key' | 'uid'> & { readonly vmi: Vmi },
  migration: HandedOver,
  certificates: PeerCertificates,
  { client, log }: NodeContext,
  signal: AbortSignal,
): Promise<OutcomeAnswer | undefined> {
  const peer = targetOf(migration);
  try {
    if (peer) {
      const credentials = await certificates.client();
      using session = new PeerSession(() => peer, credentials, migration.migrationUid, signal);
      return (await session.ask('outcome', {}, { timeoutMs: ANSWER_MS })) as OutcomeAnswer;
    }
  } catch (error) {
    log.warn('the target of a migration does not tell where the guest is', vmi, { error });
  }
  return writtenOutcome(await readVmi(client, key, uid), migration);
}
