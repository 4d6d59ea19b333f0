import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { type Domain, domainSubject } from './domainInformer.ts';
import type { LocalVmi } from './localVmi.ts';

type FreezableVmi = Pick<LocalVmi, 'key' | 'files' | 'cache'> & { readonly domain: Domain };
type Context = Pick<NodeContext, 'libvirt' | 'clock' | 'log' | 'enqueue'>;

/** Tells the next run of ours that filesystems are frozen, and until when they may be: a time, or nothing. */
const noteFile = ({ files }: Pick<LocalVmi, 'files'>): string => join(files.directory, 'frozen-until');

/** Freezes the filesystems of a guest, for `timeoutMs` at most where that is more than 0. Frozen ones stay so anew. */
export async function freeze(local: FreezableVmi, context: Context, timeoutMs: number): Promise<void> {
  const { cache, domain } = local;
  const untilMs = timeoutMs > 0 ? context.clock.now() + timeoutMs : undefined;
  // Noted first: whoever takes over in between would leave them frozen for ever.
  await writeFile(noteFile(local), untilMs === undefined ? '' : String(untilMs), { mode: 0o600 });
  const isFrozen = cache.isFrozen;
  // Said before it is true: a migration waits from now on.
  cache.isFrozen = true;
  try {
    if (!isFrozen) await context.libvirt.long.freezeFilesystems(domain.ref);
  } catch (error) {
    await forgetFreeze(local);
    throw error;
  }
  scheduleThaw(local, context, untilMs);
}

/** Thaws them; those that are not frozen stay as they are. */
export async function thaw(local: FreezableVmi, { libvirt }: Context): Promise<void> {
  if (local.domain.view.isAgentConnected) await libvirt.long.thawFilesystems(local.domain.ref);
  await forgetFreeze(local);
}

/** Nothing is frozen any more, as in a guest that has begun anew. */
export async function forgetFreeze(local: Pick<LocalVmi, 'files' | 'cache'>): Promise<void> {
  const { cache } = local;
  cache.cancelThaw?.();
  cache.cancelThaw = undefined;
  cache.isFrozen = false;
  cache.isFreezeRestored = true;
  await rm(noteFile(local), { force: true });
}

/** Takes over what an earlier run of ours has frozen. */
export async function restoreFreeze(local: FreezableVmi, context: Context): Promise<void> {
  const { cache } = local;
  if (cache.isFreezeRestored) return;
  cache.isFreezeRestored = true;
  const note = await readFile(noteFile(local), 'utf8').catch(() => undefined);
  if (note === undefined || cache.isFrozen) return;
  cache.isFrozen = true;
  scheduleThaw(local, context, note === '' ? undefined : Number(note));
}

function scheduleThaw(local: FreezableVmi, context: Context, untilMs: number | undefined): void {
  const { cache, key } = local;
  cache.cancelThaw?.();
  cache.cancelThaw = undefined;
  if (untilMs === undefined) return;
  const run = async (): Promise<void> => {
    try {
      await thaw(local, context);
    } catch (error) {
      // The guest has ended: there is nothing to thaw.
      if (!isLibvirtError(error, 'OPERATION_INVALID') && !isLibvirtError(error, 'NO_DOMAIN')) throw error;
    }
    context.enqueue(key);
  };
  cache.cancelThaw = context.clock.after(Math.max(0, untilMs - context.clock.now()), () => {
    run().catch((error: unknown) =>
      context.log.error('cannot thaw the file systems of a guest', domainSubject(local.domain.ref), { error }),
    );
  });
}
