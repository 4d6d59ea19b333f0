import { type Bench, startGuest } from './bench.ts';
import type { Guest } from './guest.ts';

/** The guests that data flows between: two on either network, and one with user networking, which sees no other. */
export interface Guests {
  readonly routed: readonly [Required<Guest>, Required<Guest>];
  readonly libvirt: readonly [Guest, Guest];
  readonly user: Guest;
}

/** The name of the VMI that is the first of those on Vireo's network, and the value of its label `app`. */
export const FIRST = 'one';

/** Starts all of them; resolves when each has a shell. */
export async function startGuests(bench: Bench): Promise<Guests> {
  const { beside, outside, onProgress } = bench;
  onProgress('starting the guests that data flows between');
  const routed = [await startGuest(bench, FIRST), await startGuest(bench, 'two')] as const;
  const virsh = [await beside.prepare(), await beside.prepare(), await beside.prepare(true)] as const;
  for (const { start } of virsh) await start();
  const [first, second, user] = virsh.map(({ guest }) => guest) as [Guest, Guest, Guest];
  const guests: Guests = { routed, libvirt: [first, second], user };
  for (const { mac } of [...routed, first, second, user]) await outside.call('tell', { mac, command: 'true' });
  return guests;
}
