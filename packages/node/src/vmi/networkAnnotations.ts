import type { NodeContext } from '../context.ts';
import { NETWORK_STATUS_ANNOTATION } from '../network/secondary/names.ts';
import { networkStatus } from '../network/secondary/networkStatus.ts';
import type { LocalVmi, RunningVmi } from './localVmi.ts';
import { cardMac } from './networks.ts';

/** What a launcher is to say of its networks; undefined where it says so already. */
export function networkAnnotations(
  { uid, vmi, pod }: Pick<LocalVmi, 'uid'> & Pick<RunningVmi, 'vmi' | 'pod'>,
  { network, secondaryNetworks }: Pick<NodeContext, 'network' | 'secondaryNetworks'>,
): Record<string, string> | undefined {
  const cards = secondaryNetworks.cardsOf(uid);
  const text = networkStatus(vmi, cards, network.addressesOf(uid), (iface) => cardMac(vmi, iface));
  const isNew = text !== undefined && text !== pod.metadata.annotations?.[NETWORK_STATUS_ANNOTATION];
  return isNew ? { [NETWORK_STATUS_ANNOTATION]: text } : undefined;
}
