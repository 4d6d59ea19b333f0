import { type DomainRef, LibvirtError, type ReservedConnection, typed } from '@vireo/libvirt';
import type { GuestUser } from '../guests/range.ts';
import { complaintsSince, type LogPlace } from './emulatorMessages.ts';
import { targetFlags } from './flags.ts';
import type { Channel, FinishRequest, OutcomeAnswer } from './peerProtocol.ts';

/** A guest that is on its way here. */
export interface Reception {
  readonly migrationUid: string;
  /** The node that it comes from. */
  readonly source: string;
  /** libvirt ends the domain with it, unless the guest has come: whatever becomes of this agent, nothing is left. */
  readonly connection: ReservedConnection;
  readonly sockets: Readonly<Record<Channel, string>>;
  readonly user: GuestUser | undefined;
  readonly domain: DomainRef;
  /** What QEMU says of this guest stands from here on. */
  readonly log: LogPlace;
}

/** What is to be done around the end of a reception. */
export interface Finishing {
  /** Whether this node may have guests: not when it was silent for so long that others may have given it up. */
  mayStart(): boolean;
  /** Has packets for the guest come here. */
  arrive(): Promise<unknown>;
  /** Where the guest is when libvirt has refused to have it go on, and why. */
  outcome(problem: string): Promise<OutcomeAnswer>;
  /** Looks at the domain. */
  refresh(): Promise<void>;
  /** The guest is not received any more. */
  forget(): void;
  /** Told of what fails and says nothing about where the guest is. */
  onError(what: string, error: unknown): void;
}

const TOO_SILENT = 'the node was silent for so long that its fencing policy ends its guests';

/** Has the guest go on here, or not come. It is this node's from when libvirt has been asked to have it go on. */
export async function finishReception(
  { connection, domain, log }: Pick<Reception, 'connection' | 'domain' | 'log'>,
  { cookie, flags, isCancelled }: FinishRequest,
  { mayStart, arrive, outcome, refresh, forget, onError }: Finishing,
): Promise<OutcomeAnswer> {
  const isTooLate = !isCancelled && !mayStart();
  const stays = isCancelled || isTooLate;
  const gone = async (): Promise<OutcomeAnswer> => ({
    outcome: 'gone',
    reason: isTooLate ? TOO_SILENT : await complaintsSince(log),
  });
  const reportAs = (what: string) => (error: unknown) => onError(what, error);
  const named = [typed.string('destination_name', domain.name)];
  const finished = connection.calls.migrateFinish(named, Buffer.from(cookie, 'base64'), targetFlags(flags), stays);
  // Once more when the guest is taken over.
  const arriving = stays ? undefined : arrive().catch(reportAs('packets are not sent to a guest that comes'));
  try {
    const [{ cookie: last }] = await Promise.all([finished, arriving]);
    if (stays) return await gone();
    return { outcome: 'running', cookie: last.toString('base64') };
  } catch (error) {
    if (!(error instanceof LibvirtError)) throw error;
    if (stays) return await gone();
    return await outcome(error.message);
  } finally {
    // First what is known of the domain: one that still stands, and that nobody receives, would be ended.
    await refresh().catch(reportAs('a domain whose guest was to come cannot be looked at'));
    forget();
    await connection.close().catch(reportAs('a connection to libvirt cannot be closed'));
  }
}
