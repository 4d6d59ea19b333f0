import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VmiCondition } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { NetworkBackend } from '@vireo/hypervisor';
import type { DomainView, InterfaceView } from './domainView.ts';

/** What to do about the network cards of a running guest, by the names of its interfaces. */
export interface CardPlan {
  readonly attach: readonly string[];
  readonly detach: readonly string[];
  /** Out of the guest: what connected them is not needed any more. */
  readonly release: readonly string[];
  /** Those that have to move, unless what is kept on disk tells that they are on the network of the spec. */
  readonly check: readonly string[];
}

export const NO_CARDS: CardPlan = { attach: [], detach: [], release: [], check: [] };

export const hasChanges = (plan: CardPlan): boolean => Object.values(plan).some(({ length }) => length > 0);

/**
 * What separates the cards of a guest from those of its VMI. `connected`: their networks, where they are
 * known. The pod network is there from the start or not at all.
 */
export function cardPlan(
  { spec, status }: VirtualMachineInstance,
  { interfaces }: DomainView,
  connected: ReadonlyMap<string, string> | undefined,
): CardPlan {
  const wanted = new Set(
    (spec.domain.devices.interfaces ?? []).filter(({ state }) => state !== 'absent').map(({ name }) => name),
  );
  const isIn = (name: string): boolean => Object.hasOwn(interfaces, name);
  const secondary = (spec.networks ?? []).filter(({ name, multus }) => multus && wanted.has(name));
  return {
    attach: secondary.filter(({ name }) => !isIn(name)).map(({ name }) => name),
    detach: Object.keys(interfaces).filter((name) => !wanted.has(name)),
    release: (status?.interfaces ?? []).flatMap(({ name }) => (name && !isIn(name) && !wanted.has(name) ? [name] : [])),
    check: secondary
      .filter(({ name, multus }) => isIn(name) && connected?.get(name) !== multus?.networkName)
      .map(({ name }) => name),
  };
}

/** Whether a card is joined to a network already, as far as libvirt has a part in it. */
export function isJoined(card: InterfaceView, backend: NetworkBackend): boolean {
  if (backend.kind === 'bridge') return card.bridge === backend.bridge;
  return backend.kind === 'tap' ? card.device === backend.device : true;
}

/** What a VMI says of cards that are not as its spec wants them. */
export const cardCondition = (problems: readonly string[]): Omit<VmiCondition, 'type'> | undefined =>
  problems.length === 0
    ? undefined
    : { status: 'False', reason: 'HotPlugNetworkInterfaceError', message: problems.join('; ') };
