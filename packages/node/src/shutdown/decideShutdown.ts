import { DEFAULT_GRACE_PERIOD_SECONDS } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { domainOwner } from '@vireo/hypervisor';
import { parseXml, select } from '@vireo/hypervisor/xml.ts';
import type { DomainState } from '@vireo/libvirt';

/** A guest that is to end because its host does. */
export interface EndingGuest {
  readonly state: DomainState['state'];
  readonly hasPowerButton: boolean;
  /** How long it may take, from the first press of its power button on. */
  readonly graceMs: number;
  /** When the host began to shut down. */
  readonly sinceMs: number;
  /** When the power button was last pressed; 0 when it was not. */
  readonly pressedAtMs: number;
}

/** A guest that is still booting does not hear its power button; it is pressed again. */
export const SHUTDOWN_RETRY_MS = 3_000;

/** The next thing to do with a guest. One that is paused, or has no power button, cannot hear us. */
export function decideShutdown(guest: EndingGuest, nowMs: number): 'press' | 'wait' | 'destroy' {
  if (!guest.hasPowerButton || guest.state === 'paused') return 'destroy';
  if (nowMs - guest.sinceMs >= guest.graceMs) return 'destroy';
  return nowMs - guest.pressedAtMs >= SHUTDOWN_RETRY_MS ? 'press' : 'wait';
}

/** What a domain's XML tells of how its guest can be ended. */
export function endingOf(xml: string): Pick<EndingGuest, 'hasPowerButton' | 'graceMs'> {
  const grace = domainOwner(xml)?.graceSeconds ?? DEFAULT_GRACE_PERIOD_SECONDS;
  return { hasPowerButton: select(parseXml(xml), 'features/acpi').length > 0, graceMs: grace * 1000 };
}
