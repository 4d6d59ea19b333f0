import { deepEqual } from '@vireo/api/json.ts';
import type { Interface } from '@vireo/api/kinds/kubevirt/interface.ts';
import type { Network } from '@vireo/api/kinds/kubevirt/network.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

type Spec = Vmi['spec'];

/** The network interfaces of a guest, and what they are connected to. */
export interface Cards {
  readonly interfaces: readonly Interface[];
  readonly networks: readonly Network[];
}

/** `isStaged`: changes wait for the next start, as `vmRolloutStrategy: Stage` says. */
export interface Rollout {
  readonly isStaged: boolean;
}

/** A network interface with its network. */
interface Card {
  readonly card: Interface;
  readonly network: Network | undefined;
}

/** What fits into a PCIe port. Others need a bridge that has to be there from the start. */
const PCIE_MODELS = ['', 'virtio', 'e1000e'];

const isAbsent = ({ state }: Interface): boolean => state === 'absent';

const cardsOf = (spec: Partial<Spec> | undefined): Cards => ({
  interfaces: spec?.domain?.devices?.interfaces ?? [],
  networks: spec?.networks ?? [],
});

function findCard({ interfaces, networks }: Cards, name: string): Card | undefined {
  const card = interfaces.find((each) => each.name === name);
  return card && { card, network: networks.find((each) => each.name === name) };
}

/** Whether a card can be plugged into a guest that runs, as in KubeVirt: by a bridge, and not as its first network. */
const isPluggable = ({ card, network }: Card, { domain }: Spec): boolean =>
  card.bridge !== undefined &&
  network?.multus !== undefined &&
  !network.multus.default &&
  PCIE_MODELS.includes(card.model ?? '') &&
  !domain.devices?.disableHotplug;

/** The network interfaces of a VMI as its VM wants them now; undefined where they are so already. */
export function updatedCards(vmi: Vmi, wanted: Spec | undefined, { isStaged }: Rollout): Cards | undefined {
  const before = cardsOf(vmi.spec);
  const after = cardsOf(wanted);
  const plugged = new Set((vmi.status?.interfaces ?? []).map(({ name }) => name));
  const kept = before.interfaces
    .map((card) => withState(card, findCard(after, card.name)?.card, isStaged))
    // One that is unplugged leaves the spec once the guest has let go of it.
    .filter((card) => !isAbsent(card) || plugged.has(card.name));
  const added = after.interfaces.filter((card) => {
    if (isStaged || isAbsent(card) || findCard(before, card.name)) return false;
    return isPluggable({ card, network: findCard(after, card.name)?.network }, vmi.spec);
  });
  const interfaces = [...kept, ...added];
  const moved = before.networks.map((network) => {
    const other = after.networks.find(({ name }) => name === network.name);
    return other && !isStaged && deepEqual(withoutNetworkName(other), withoutNetworkName(network)) ? other : network;
  });
  const networks = [...moved, ...after.networks.filter(({ name }) => added.some((card) => card.name === name))].filter(
    ({ name }) => interfaces.some((card) => card.name === name),
  );
  const isSame = deepEqual(interfaces, before.interfaces) && deepEqual(networks, before.networks);
  return isSame ? undefined : { interfaces, networks };
}

/** One that goes is not held up: it comes back when it is gone. */
function withState(card: Interface, wanted: Interface | undefined, isStaged: boolean): Interface {
  if (!wanted || isAbsent(card) || (isStaged && isAbsent(wanted))) return card;
  const { state: _, ...rest } = card;
  return wanted.state === undefined ? rest : { ...rest, state: wanted.state };
}

/** The cards of a VM without those that are unplugged; undefined where none is. `vmi`: what runs, if anything does. */
export function remainingCards(template: Spec | undefined, vmi: Vmi | undefined): Cards | undefined {
  const { interfaces, networks } = cardsOf(template);
  const present = new Set([
    ...(vmi?.status?.interfaces ?? []).map(({ name }) => name),
    ...cardsOf(vmi?.spec).interfaces.map(({ name }) => name),
  ]);
  const gone = new Set(interfaces.filter((card) => isAbsent(card) && !present.has(card.name)).map(({ name }) => name));
  const isLeft = ({ name }: { name: string }): boolean => !gone.has(name);
  return gone.size === 0 ? undefined : { interfaces: interfaces.filter(isLeft), networks: networks.filter(isLeft) };
}

/** Changes of network interfaces that a restart is needed for, in words. */
export function cardRestarts(
  started: Spec | undefined,
  current: Spec | undefined,
  running: Spec,
  { isStaged }: Rollout,
): string[] {
  const [then, now, here] = [cardsOf(started), cardsOf(current), cardsOf(running)];
  const says = (name: string, what: string): string => `network interface ${name} will be ${what} by a restart`;
  const old = here.interfaces.flatMap((card) => {
    if (isAbsent(card)) return [];
    const wanted = findCard(now, card.name);
    if (!wanted) {
      // A VM that says nothing of networks runs in the pod network.
      const isSilent = [now, then].every(({ interfaces }) => interfaces.length === 0);
      const isImplied = isSilent && findCard(here, card.name)?.network?.pod !== undefined;
      return isImplied ? [] : [says(card.name, 'removed')];
    }
    if (isAbsent(wanted.card)) return isStaged ? [says(card.name, 'removed')] : [];
    // Defaults may have added to what runs: what is as it was at the start is not changed.
    const known = [findCard(here, card.name), findCard(then, card.name)];
    return known.some((each) => each && isSameCard(each, wanted, isStaged)) ? [] : [says(card.name, 'changed')];
  });
  const added = now.interfaces
    .filter((card) => !isAbsent(card) && !findCard(here, card.name))
    .filter((card) => isStaged || !isPluggable({ card, network: findCard(now, card.name)?.network }, running))
    .map(({ name }) => says(name, 'added'));
  return [...old, ...added];
}

function isSameCard(a: Card, b: Card, isStaged: boolean): boolean {
  const { state: _, ...card } = a.card;
  const { state: __, ...other } = b.card;
  const network = isStaged ? (each: Network) => each : withoutNetworkName;
  return deepEqual(card, other) && deepEqual(a.network && network(a.network), b.network && network(b.network));
}

/** A card changes its NetworkAttachmentDefinition without being unplugged. */
const withoutNetworkName = (network: Network): Network =>
  network.multus ? { ...network, multus: { ...network.multus, networkName: '' } } : network;

/** A spec without its network interfaces, which are compared with what runs. */
export function withoutCards<T extends Partial<Spec>>(spec: T): T {
  const { networks: _, domain, ...rest } = spec;
  if (!domain) return rest as T;
  const { interfaces: __, ...devices } = domain.devices ?? {};
  return { ...rest, domain: { ...domain, devices } } as T;
}
