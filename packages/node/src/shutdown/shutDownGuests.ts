import { setTimeout as delay } from 'node:timers/promises';
import { type DomainRef, isLibvirtError, type Libvirt, ListFlags, ShutdownFlags } from '@vireo/libvirt';
import { domainKey } from '../vmi/domainInformer.ts';
import { decideShutdown, type EndingGuest, endingOf } from './decideShutdown.ts';

/** How far the end of the guests has come. */
export interface ShutdownProgress {
  readonly total: number;
  /** `namespace/name` of those that still run. */
  readonly left: readonly string[];
  readonly elapsedMs: number;
  /** How long until the last of them is powered off, unless it shuts down before. */
  readonly remainingMs: number;
}

export interface ShutdownOptions {
  /** Switch guests off at once. */
  readonly force?: boolean;
  /** Told at every change, and every second. */
  readonly onProgress?: (progress: ShutdownProgress) => void;
}

const PROGRESS_MS = 1_000;

/** Ends all guests of a hypervisor: by their power buttons, and the hard way when their grace is over. */
export async function shutDownGuests(libvirt: Libvirt, options: ShutdownOptions): Promise<void> {
  const sinceMs = Date.now();
  let wake = Promise.withResolvers<void>();
  const subscription = await libvirt.subscribe('lifecycle', () => wake.resolve());
  const guests = new Map<string, EndingGuest>();
  let total = 0;
  try {
    for (;;) {
      wake = Promise.withResolvers<void>();
      const active = await libvirt.listDomains(ListFlags.ACTIVE);
      if (active.length === 0) return;
      total = Math.max(total, active.length);
      await Promise.all(
        active.map(async (ref) => {
          const known = guests.get(ref.uuid) ?? {
            ...endingOf(await xmlOf(libvirt, ref)),
            ...(options.force && { graceMs: 0 }),
            sinceMs,
            pressedAtMs: 0,
          };
          guests.set(ref.uuid, await endGuest(libvirt, ref, known));
        }),
      );
      const now = Date.now();
      const graces = active.map(({ uuid }) => guests.get(uuid)?.graceMs ?? 0);
      options.onProgress?.({
        total,
        left: active.map(domainKey),
        elapsedMs: now - sinceMs,
        remainingMs: Math.max(0, sinceMs + Math.max(...graces) - now),
      });
      await Promise.race([wake.promise, delay(PROGRESS_MS)]);
    }
  } finally {
    await subscription.cancel().catch(() => {});
  }
}

/** One step towards the end of a guest; what is known of it afterwards. */
async function endGuest(libvirt: Libvirt, ref: DomainRef, known: Omit<EndingGuest, 'state'>): Promise<EndingGuest> {
  let guest: EndingGuest = { ...known, state: 'running' };
  try {
    const { state } = await libvirt.domainState(ref);
    guest = { ...known, state };
    switch (decideShutdown(guest, Date.now())) {
      case 'press':
        await libvirt.shutdownDomain(ref, ShutdownFlags.ACPI_POWER_BUTTON);
        return { ...guest, pressedAtMs: Date.now() };
      case 'destroy':
        await libvirt.long.destroyDomain(ref);
        return guest;
      case 'wait':
        return guest;
    }
  } catch (error) {
    // It ended by itself in the meantime.
    if (!isLibvirtError(error, 'NO_DOMAIN') && !isLibvirtError(error, 'OPERATION_INVALID')) throw error;
    return guest;
  }
}

async function xmlOf(libvirt: Libvirt, ref: DomainRef): Promise<string> {
  try {
    return await libvirt.domainXml(ref);
  } catch (error) {
    if (!isLibvirtError(error, 'NO_DOMAIN')) throw error;
    return '<domain/>';
  }
}
