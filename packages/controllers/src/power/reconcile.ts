import type { Persisted } from '@vireo/api';
import { Inventory, type InventoryStatus, type PowerOperation } from '@vireo/api/kinds/harvester/inventory.ts';
import type { Client, Result } from '@vireo/kube';
import { type RedfishAccess, readSystem, reset, resetTypeFor } from './redfish.ts';
import { accessOf, type Credentials, decidePower, type Outcome, RUNNING, withContact, withOutcome } from './status.ts';

/** How often a BMC is asked for the state of its host. */
const CONTACT_MS = 300_000;
/** A BMC that does not answer is asked again sooner. */
const SOON_MS = 30_000;

/** What the power of a host is controlled with. */
export interface PowerContext {
  readonly client: Client;
  readonly credentials: Credentials;
  readonly recordEvent: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/** Carries out the operation that an Inventory asks for, and tells how its BMC is. */
export async function reconcilePower(
  inventory: Persisted<Inventory>,
  context: PowerContext,
): Promise<Result | undefined> {
  const decision = decidePower(inventory);
  const access = accessOf(inventory, context.credentials);
  switch (decision.action) {
    case 'refuse':
      await end(await takeBack(inventory, context), { ...decision, ...failed('there is no such operation') }, context);
      return undefined;
    case 'abandon': {
      const outcome = { ...decision, ...failed('Vireo ended meanwhile, so nobody knows how far it came') };
      // The cache may be behind: who has ended the operation knows how it went, and this write is a conflict then.
      await write(inventory, withOutcome(inventory.status, outcome, context.now()), context);
      announce(outcome, context);
      return undefined;
    }
    case 'begin': {
      const running = { ...decision, actionStatus: RUNNING } as const;
      const begun = await takeBack(
        await write(inventory, withOutcome(inventory.status, running, context.now()), context),
        context,
      );
      const outcome =
        'problem' in access ? failed(access.problem) : await carryOut(decision.operation, access, context);
      if (!context.signal.aborted) await end(begun, { ...decision, ...outcome }, context);
      return undefined;
    }
    case 'none':
      return contact(inventory, access, context);
  }
}

type Ending = Pick<Outcome, 'actionStatus' | 'message'>;

const failed = (message: string): Ending => ({ actionStatus: 'failed', message });

async function carryOut(operation: PowerOperation, access: RedfishAccess, { signal }: PowerContext): Promise<Ending> {
  try {
    const system = await readSystem(access, signal);
    const type = resetTypeFor(operation, system);
    await reset(access, system, type, signal);
    return { actionStatus: 'complete', message: `the BMC has accepted ${type}` };
  } catch (error) {
    return failed(messageOf(error));
  }
}

/** Tells how it went, whoever has changed the object meanwhile. */
async function end(inventory: Persisted<Inventory>, outcome: Outcome, context: PowerContext): Promise<void> {
  const status = withOutcome(inventory.status, outcome, context.now());
  await context.client.of(Inventory).patchExactly(inventory, { status }, { subresource: 'status' });
  announce(outcome, context);
}

function announce({ operation, actionStatus, message }: Outcome, { recordEvent }: PowerContext): void {
  const words = message ? `: ${message}` : '';
  if (actionStatus === 'complete') recordEvent('Normal', 'PowerAction', `Power operation ${operation}${words}`);
  else recordEvent('Warning', 'PowerActionFailed', `Power operation ${operation} failed${words}`);
}

async function contact(
  inventory: Persisted<Inventory>,
  access: RedfishAccess | { readonly problem: string },
  context: PowerContext,
): Promise<Result | undefined> {
  const found = 'problem' in access ? access : await ask(access, context.signal);
  if (context.signal.aborted) return undefined;
  await write(inventory, withContact(inventory.status, found, context.now()), context);
  return { requeueAfterMs: 'problem' in found ? SOON_MS : CONTACT_MS };
}

const ask = (access: RedfishAccess, signal: AbortSignal): Promise<{ powerState: string } | { problem: string }> =>
  readSystem(access, signal).catch((error: unknown) => ({ problem: messageOf(error) }));

/** The object as it is after the write. */
async function write(
  inventory: Persisted<Inventory>,
  status: InventoryStatus,
  { client }: PowerContext,
): Promise<Persisted<Inventory>> {
  return (await client.of(Inventory).writeStatus(inventory, status)) ?? inventory;
}

const takeBack = (inventory: Persisted<Inventory>, { client }: PowerContext): Promise<Persisted<Inventory>> =>
  client.of(Inventory).patchIfUnchanged(inventory, { spec: { powerActionRequested: null } });

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
