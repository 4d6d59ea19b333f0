import type { KubeObject } from '@vireo/api';
import type { EventRecorder, Log } from '@vireo/kube';
import type { ExpectedDevice } from '@vireo/network';
import type { GuestCard } from './cards.ts';
import type { Peers } from './peers.ts';
import type { RoutedNetwork } from './routedNetwork.ts';

/** Devices of ours that others may change. */
export interface GuardedDevices {
  readonly expectedOf: (device: string) => ExpectedDevice | undefined;
  /** Puts right what others have changed, by device; everything where missing. */
  readonly repair: (lost?: ReadonlyMap<string, readonly string[]>) => Promise<void>;
}

/** The devices of a network: its own, those of cards, and those that lead to other nodes. */
export const guardedDevices = (
  network: Pick<RoutedNetwork, 'expectedOf' | 'repair'>,
  peers: Pick<Peers, 'expectedOf' | 'repair'>,
): GuardedDevices => ({
  expectedOf: (device) => network.expectedOf(device) ?? peers.expectedOf(device),
  repair: async (lost) => {
    const isAll = await network.repair(lost);
    // Ways to other nodes name this node's address, too.
    if (isAll || [...(lost?.keys() ?? [])].some((device) => peers.expectedOf(device))) await peers.repair();
  },
});

/** How many devices a text names. */
const MOST_DEVICES = 3;

/** What others have changed, for logs and events. */
export function changesText(lost: ReadonlyMap<string, readonly string[]>): string {
  const named = [...lost].slice(0, MOST_DEVICES).map(([device, about]) => `${device} (${about.join(', ')})`);
  const more = lost.size > MOST_DEVICES ? [`${lost.size - MOST_DEVICES} more`] : [];
  return [...named, ...more].join(', ');
}

/** Says that a guest has lost its card: QEMU has the device open that is gone. */
export function reportCut(
  { namespace, name, uid, device, iface }: GuestCard,
  { recorder, log }: { readonly recorder: Pick<EventRecorder, 'event'>; readonly log: Log },
): void {
  const text = `somebody has deleted the device ${device} of the interface ${iface}; restart the VM to connect it again`;
  const vmi: KubeObject = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { namespace, name, uid },
  };
  log.warn(text, { kind: vmi.kind, namespace, name });
  recorder.event(vmi, 'Warning', 'NetworkCardDeleted', text);
}
