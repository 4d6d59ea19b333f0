import { deepEqual } from '@vireo/api/json.ts';
import type { Interface } from '@vireo/api/kinds/kubevirt/interface.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

type Spec = Vmi['spec'];

/** Plugged in or not: what a running guest sees change. To take a card away is another thing. */
const isLink = ({ state }: Interface): boolean => state !== 'absent';

/** The spec without what the links of its cards are like, which needs no restart. */
export function withoutLinkStates<T extends Partial<Spec>>(spec: T): T {
  const cards = spec.domain?.devices?.interfaces;
  if (!spec.domain || !cards?.some((card) => isLink(card) && card.state !== undefined)) return spec;
  const { domain } = spec;
  const interfaces = cards.map((card) => {
    const { state: _, ...rest } = card;
    return isLink(card) ? rest : card;
  });
  return { ...spec, domain: { ...domain, devices: { ...domain.devices, interfaces } } };
}

/** The cards of a VMI with the links that its VM wants; undefined where they are so already. */
export function linkedCards(vmiSpec: Spec, wanted: Spec | undefined): Interface[] | undefined {
  const cards = vmiSpec.domain.devices.interfaces ?? [];
  const after = cards.map((card) => {
    const other = wanted?.domain.devices.interfaces?.find(({ name }) => name === card.name);
    if (!other || !isLink(other) || !isLink(card)) return card;
    const { state: _, ...rest } = card;
    return other.state === undefined ? rest : { ...rest, state: other.state };
  });
  return deepEqual(after, cards) ? undefined : after;
}
