import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { domainSubject, type KnownDomain } from './domains.ts';
import type { Machine } from './machine.ts';

type Frozen = Pick<Machine, 'key' | 'files' | 'memory'> & { readonly domain: KnownDomain };
type Context = Pick<NodeContext, 'libvirt' | 'clock' | 'log' | 'wake'>;

/** Tells the next run of ours that filesystems are frozen, and until when they may be: a time, or nothing. */
const noteOf = ({ files }: Pick<Machine, 'files'>): string => join(files.directory, 'frozen-until');

/** Freezes the filesystems of a guest, for `timeoutMs` at most where that is more than 0. Frozen ones stay so anew. */
export async function freeze(machine: Frozen, context: Context, timeoutMs: number): Promise<void> {
  const { memory, domain } = machine;
  const untilMs = timeoutMs > 0 ? context.clock.now() + timeoutMs : undefined;
  // Noted first: whoever takes over in between would leave them frozen for ever.
  await writeFile(noteOf(machine), untilMs === undefined ? '' : String(untilMs), { mode: 0o600 });
  try {
    if (!memory.isFrozen) await context.libvirt.long.freezeFilesystems(domain.ref);
  } catch (error) {
    await forgetFreeze(machine);
    throw error;
  }
  memory.isFrozen = true;
  thawLater(machine, context, untilMs);
}

/** Thaws them; those that are not frozen stay as they are. */
export async function thaw(machine: Frozen, { libvirt }: Context): Promise<void> {
  if (machine.domain.view.isAgentConnected) await libvirt.long.thawFilesystems(machine.domain.ref);
  await forgetFreeze(machine);
}

/** Nothing is frozen any more, as in a guest that has begun anew. */
export async function forgetFreeze(machine: Pick<Machine, 'files' | 'memory'>): Promise<void> {
  const { memory } = machine;
  memory.cancelThaw?.();
  memory.cancelThaw = undefined;
  memory.isFrozen = false;
  memory.isFreezeRecalled = true;
  await rm(noteOf(machine), { force: true });
}

/** Takes over what an earlier run of ours has frozen. */
export async function recallFreeze(machine: Frozen, context: Context): Promise<void> {
  const { memory } = machine;
  if (memory.isFreezeRecalled) return;
  memory.isFreezeRecalled = true;
  const note = await readFile(noteOf(machine), 'utf8').catch(() => undefined);
  if (note === undefined || memory.isFrozen) return;
  memory.isFrozen = true;
  thawLater(machine, context, note === '' ? undefined : Number(note));
}

function thawLater(machine: Frozen, context: Context, untilMs: number | undefined): void {
  const { memory, key } = machine;
  memory.cancelThaw?.();
  memory.cancelThaw = undefined;
  if (untilMs === undefined) return;
  const run = async (): Promise<void> => {
    try {
      await thaw(machine, context);
    } catch (error) {
      // The guest has ended: there is nothing to thaw.
      if (!isLibvirtError(error, 'OPERATION_INVALID') && !isLibvirtError(error, 'NO_DOMAIN')) throw error;
    }
    context.wake(key);
  };
  memory.cancelThaw = context.clock.after(Math.max(0, untilMs - context.clock.now()), () => {
    run().catch((error: unknown) =>
      context.log.error('cannot thaw the filesystems of a guest', domainSubject(machine.domain.ref), { error }),
    );
  });
}
