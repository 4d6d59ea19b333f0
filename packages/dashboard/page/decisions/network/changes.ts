import type { PatchOperation } from '../../data/api.ts';
import type { CardDevice } from '../../data/deviceKinds.ts';
import type { Vm } from '../../data/kinds.ts';
import { type Change, vmPath } from '../disks/changes.ts';
import type { Machine } from '../machine.ts';
import type { CardLine } from './cards.ts';

const TEMPLATE = '/spec/template/spec';
const CARDS = `${TEMPLATE}/domain/devices/interfaces`;
const NETWORKS = `${TEMPLATE}/networks`;

/** What changing cards takes: the VM is edited, running or not. */
export const CARD_PERMISSION = { verb: 'patch', group: 'kubevirt.io', resource: 'virtualmachines' };

export interface NewCard {
  readonly name: string;
  readonly network: string;
  readonly model: string;
  readonly mac: string;
}

/**
 * Adds a card with its network. A template without cards means the pod network: it is written down, as the next start
 * would have only what is listed.
 */
export function addCard(machine: Machine, vm: Vm, { name, network, model, mac }: NewCard): Change {
  const spec = vm.spec.template?.spec;
  const card = { name, bridge: {}, ...(model !== 'virtio' && { model }), ...(mac && { macAddress: mac }) };
  const link = { name, multus: { networkName: network } };
  const cards = spec?.domain?.devices?.interfaces ?? [];
  const isImplied = cards.length === 0;
  const first = isImplied ? [{ name: 'default', masquerade: {} }] : [];
  const operations: PatchOperation[] = isImplied
    ? [
        ...(spec?.domain?.devices ? [] : [{ op: 'add' as const, path: `${TEMPLATE}/domain/devices`, value: {} }]),
        { op: 'add', path: CARDS, value: [...first, card] },
        { op: 'add', path: NETWORKS, value: [...(spec?.networks ?? [{ name: 'default', pod: {} }]), link] },
      ]
    : [
        { op: 'add', path: `${CARDS}/-`, value: card },
        spec?.networks
          ? { op: 'add', path: `${NETWORKS}/-`, value: link }
          : { op: 'add', path: NETWORKS, value: [link] },
      ];
  return { method: 'PATCH', path: vmPath(machine), operations };
}

/** Unplugs a card: of a guest that runs by its state, else from the spec. */
export function removeCard(machine: Machine, vm: Vm, name: string): Change {
  if (machine.hasInstance) return setCardState(machine, vm, name, 'absent');
  const networks = vm.spec.template?.spec?.networks ?? [];
  const network = networks.findIndex((each) => each.name === name);
  const operations: PatchOperation[] = [
    ...removal(CARDS, indexOf(vm, name), name),
    ...(network < 0 ? [] : removal(NETWORKS, network, name)),
  ];
  return { method: 'PATCH', path: vmPath(machine), operations };
}

/** Plugs the cable in or out, or unplugs the card. */
export function setCardState(machine: Machine, vm: Vm, name: string, state: 'up' | 'down' | 'absent'): Change {
  const index = indexOf(vm, name);
  return {
    method: 'PATCH',
    path: vmPath(machine),
    operations: [expectName(CARDS, index, name), { op: 'add', path: `${CARDS}/${index}/state`, value: state }],
  };
}

const cardsIn = (vm: Vm): readonly CardDevice[] => vm.spec.template?.spec?.domain?.devices?.interfaces ?? [];
const indexOf = (vm: Vm, name: string): number => cardsIn(vm).findIndex((each) => each.name === name);

const expectName = (path: string, index: number, name: string): PatchOperation => ({
  op: 'test',
  path: `${path}/${index}/name`,
  value: name,
});

const removal = (path: string, index: number, name: string): PatchOperation[] => [
  expectName(path, index, name),
  { op: 'remove', path: `${path}/${index}` },
];

/** Why no card can be changed. */
export function cardsObstacle({ isVm, isDeleting }: Machine): string | undefined {
  if (isDeleting) return 'The machine is being deleted.';
  return isVm ? undefined : 'An instance without a VM keeps the cards that it was started with.';
}

/** Why a card cannot be unplugged. */
export function removeObstacle(card: CardLine, { hasInstance }: Machine): string | undefined {
  if (card.isAbsent) return 'It is being unplugged already.';
  if (!card.isInSpec) return 'The spec does not list it.';
  if (!hasInstance) return undefined;
  if (card.isPod) return 'The pod network cannot be unplugged while the machine runs.';
  return card.binding === 'bridge' ? undefined : `Cards with the binding ${card.binding} go with a restart only.`;
}

/** Why the cable of a card cannot be plugged. */
export function linkObstacle(card: CardLine): string | undefined {
  if (card.isAbsent) return 'It is being unplugged.';
  return card.isInSpec ? undefined : 'The spec does not list it: add it there first.';
}

/** What is wrong with a MAC address; empty means that the server makes one up. */
export function macProblem(mac: string): string | undefined {
  if (mac === '') return undefined;
  if (!/^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(mac)) return 'Enter a MAC address such as 02:00:00:00:00:01.';
  return Number.parseInt(mac.slice(0, 2), 16) % 2 === 1 ? 'The first number of a MAC address is even.' : undefined;
}
