import type { CardDevice, CardNetwork, CardPort } from '../../data/deviceKinds.ts';
import type { Vm, Vmi } from '../../data/kinds.ts';
import type { DiskState } from '../disks/states.ts';

/** A network card of a machine. */
export interface CardLine {
  readonly name: string;
  /** What it is connected to, in words. */
  readonly network: string;
  readonly binding: string;
  readonly model: string;
  readonly mac: string | undefined;
  readonly addresses: readonly string[];
  /** Its name in the guest, such as `eth0`. */
  readonly device: string | undefined;
  /** `all`, or those that it is reached at. */
  readonly ports: string;
  readonly state: DiskState;
  /** Whether its cable is plugged in, as the spec says. */
  readonly isUp: boolean;
  readonly isPod: boolean;
  readonly isInSpec: boolean;
  readonly isAbsent: boolean;
}

type Spec = Vmi['spec'];

/** Cards of the spec, of what runs, and those that are on their way in or out. */
export function cardsOf(vm: Vm | undefined, vmi: Vmi | undefined): CardLine[] {
  const wanted = vm ? vm.spec.template?.spec : vmi?.spec;
  const of = (spec: Spec | undefined): string[] => (spec?.domain?.devices?.interfaces ?? []).map(({ name }) => name);
  const names = new Set([...of(wanted), ...of(vmi?.spec)]);
  for (const { name } of vmi?.status?.interfaces ?? []) if (name) names.add(name);
  return [...names].map((name) => lineOf(name, wanted, vmi));
}

function lineOf(name: string, wanted: Spec | undefined, vmi: Vmi | undefined): CardLine {
  const inSpec = cardIn(wanted, name);
  const running = cardIn(vmi?.spec, name);
  const card = inSpec ?? running;
  const network = networkIn(wanted, name) ?? networkIn(vmi?.spec, name);
  const status = vmi?.status?.interfaces?.find((each) => each.name === name);
  const isUp = (card?.state ?? 'up') !== 'down';
  return {
    name,
    network: networkText(network),
    binding: card ? bindingOf(card) : '–',
    model: card?.model ?? 'virtio',
    mac: status?.mac ?? card?.macAddress,
    addresses: status?.ipAddresses ?? (status?.ipAddress ? [status.ipAddress] : []),
    device: status?.interfaceName,
    ports: portsText(card?.ports),
    state: stateOf({ inSpec, running, hasStatus: status !== undefined, linkState: status?.linkState, vmi }),
    isUp,
    isPod: network?.pod !== undefined || (network === undefined && name === 'default'),
    isInSpec: inSpec !== undefined,
    isAbsent: card?.state === 'absent',
  };
}

const cardIn = (spec: Spec | undefined, name: string): CardDevice | undefined =>
  spec?.domain?.devices?.interfaces?.find((each) => each.name === name);

const networkIn = (spec: Spec | undefined, name: string): CardNetwork | undefined =>
  spec?.networks?.find((each) => each.name === name);

function networkText(network: CardNetwork | undefined): string {
  if (network?.multus) return network.multus.networkName;
  return network === undefined || network.pod ? 'pod network' : 'unknown';
}

const BINDINGS = ['masquerade', 'bridge', 'sriov', 'passt', 'slirp', 'macvtap'];

function bindingOf(card: CardDevice): string {
  const named = card.binding?.name;
  return named ?? BINDINGS.find((each) => Object.hasOwn(card, each)) ?? 'default';
}

const portsText = (ports: readonly CardPort[] = []): string =>
  ports.length === 0 ? 'all' : ports.map(({ port, protocol = 'TCP' }) => `${port}/${protocol}`).join(', ');

interface Facts {
  readonly inSpec: CardDevice | undefined;
  readonly running: CardDevice | undefined;
  readonly hasStatus: boolean;
  readonly linkState: string | undefined;
  readonly vmi: Vmi | undefined;
}

function stateOf({ inSpec, running, hasStatus, linkState, vmi }: Facts): DiskState {
  if (!vmi) return inSpec?.state === 'down' ? { tone: 'off', label: 'Off, link down' } : { tone: 'off', label: 'Off' };
  if (inSpec?.state === 'absent' || running?.state === 'absent') return { tone: 'busy', label: 'Being unplugged' };
  if (inSpec && !running)
    return { tone: 'busy', label: 'Waiting to be plugged in', reason: 'Some changes need a restart.' };
  if (!inSpec && running) return { tone: 'warn', label: 'Until a restart', reason: 'The spec no longer has it.' };
  if (!hasStatus) return { tone: 'busy', label: 'Being plugged in' };
  const wanted = inSpec?.state === 'down' ? 'down' : 'up';
  if (linkState === undefined) return { tone: 'ok', label: 'Plugged in' };
  if (linkState !== wanted) return { tone: 'busy', label: `Link is ${linkState}, should be ${wanted}` };
  return linkState === 'up' ? { tone: 'ok', label: 'Link up' } : { tone: 'off', label: 'Link down' };
}
