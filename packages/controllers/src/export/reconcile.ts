import { isDeleting, isReason, type Persisted } from '@vireo/api';
import type { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import type { Result } from '@vireo/kube';
import { TRUST_MS } from '../shared/uploadTrust.ts';
import type { ExportActions } from './act.ts';
import { type ExportLookup, type SourceState, sourceState } from './source.ts';
import { endsAtMs, exportStatus } from './status.ts';

export interface ExportState {
  readonly exported: Persisted<VirtualMachineExport>;
  readonly lookup: ExportLookup;
  /** Address of the server, with `https://`; undefined where it has none. */
  readonly url: string | undefined;
  readonly hasDump: (claim: string) => boolean;
  readonly now: Date;
}

/** What stands in the way is not watched: the CA of the server, somebody else's Secret, a quota. */
const RETRY_MS = 5_000;

/** Offers what an export names for as long as it can be read, and ends the offer in time. */
export async function reconcileExport(state: ExportState, act: ExportActions): Promise<Result | undefined> {
  const { exported, lookup, url, hasDump, now } = state;
  const remainingMs = endsAtMs(exported) - now.getTime();
  if (remainingMs <= 0 && !isDeleting(exported)) {
    await act.remove(exported);
    return undefined;
  }
  const offer = isDeleting(exported) ? sourceState(exported, lookup) : await withToken(exported, lookup, act);
  const refusal = isDeleting(exported) ? undefined : await createClaims(offer.wanted, act);
  const found = refusal ? { ...offer, ...refusal } : url || offer.phase !== 'Ready' ? offer : { ...offer, ...UNSERVED };
  const certificate = found.phase === 'Ready' ? await act.certificate(exported.metadata.namespace) : undefined;
  const server = url && certificate ? { url, certificate } : undefined;
  const tokenSecretRef = found.ready.reason === NO_TOKEN ? undefined : secretName(exported);
  const status = exportStatus(exported, { source: found, server, tokenSecretRef, hasDump, now });
  const before = exported.status?.phase;
  if (await act.writeStatus(exported, status)) {
    if (before === 'Ready' && status.phase === 'Pending')
      act.recordEvent(exported, 'ExportPaused', found.ready.message ?? 'the volumes cannot be read');
  }
  if (isDeleting(exported)) return undefined;
  const isWaiting = refusal || tokenSecretRef === undefined || (found.phase === 'Ready' && !certificate);
  return { requeueAfterMs: Math.min(remainingMs, isWaiting ? RETRY_MS : server ? TRUST_MS : LONGEST_MS) };
}

/** Makes claims; where the server takes none, as by a quota, what that says of the export. */
async function createClaims(
  claims: SourceState['wanted'],
  act: ExportActions,
): Promise<Pick<SourceState, 'phase' | 'ready'> | undefined> {
  try {
    for (const claim of claims) await act.createClaim(claim);
    return undefined;
  } catch (error) {
    if (!isReason(error, 'Forbidden', 'Invalid')) throw error;
    return { phase: 'Pending', ready: { status: 'False', reason: 'NotAllPVCsCreated', message: error.message } };
  }
}

const UNSERVED = {
  phase: 'Pending',
  ready: { status: 'False', reason: 'Initializing', message: 'this installation does not serve exports' },
} as const;

/** The longest that a timer takes. */
const LONGEST_MS = 2 ** 31 - 1;
const NO_TOKEN = 'SecretNotOwned';

const secretName = ({ metadata, spec }: Persisted<VirtualMachineExport>): string =>
  spec.tokenSecretRef ?? `export-token-${metadata.name}`;

/** What can be offered, once there is a password to guard it. One that the user names is the user's to make. */
async function withToken(
  exported: Persisted<VirtualMachineExport>,
  lookup: ExportLookup,
  act: ExportActions,
): Promise<SourceState> {
  const found = sourceState(exported, lookup);
  const isKnown = exported.spec.tokenSecretRef !== undefined || exported.status?.tokenSecretRef !== undefined;
  if (isKnown || (await act.provideToken(exported, secretName(exported)))) return found;
  const message = `Secret ${exported.metadata.namespace}/${secretName(exported)} already exists and is not owned by this export: delete it, or set another Secret in spec.tokenSecretRef`;
  return { ...found, phase: 'Pending', ready: { status: 'False', reason: NO_TOKEN, message } };
}
