import { conditionOf } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { ConversionError, convertInterface } from '@vireo/hypervisor';
import { DeviceFlags, isLibvirtError, LibvirtError } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { type CardPlan, cardCondition, isJoined } from './cards.ts';
import { type ConnectedNetworks, readNetworks, writeNetworks } from './connectedNetworks.ts';
import { findDevice, movedInterfaceXml } from './domainView.ts';
import { launcherOptions } from './launcher.ts';
import type { RunningVmi } from './localVmi.ts';
import { connectInterface, disconnectInterface, NetworkError, plannedBackend } from './networks.ts';
import { DETACH_AGAIN_MS } from './unpluggedDisks.ts';

/** What could not be done about cards, and after how long to look again. */
interface PluggedCards {
  readonly cardProblems: readonly string[];
  readonly cardsAgainMs: number | undefined;
}

/** A card that could not be connected is tried again after so long, if nothing changes before. */
const PLUG_AGAIN_MS = 10_000;
/** A guest that has not let go of a card for so long will hardly do so. */
const SLOW_MS = 15_000;

/** Plugs cards in, takes them out and moves them to other networks; they come and go as changes of the domain. */
export async function plugCards(local: RunningVmi, plan: CardPlan, context: NodeContext): Promise<PluggedCards> {
  const { vmi, cache, uid, domain, files } = local;
  const { recorder, domains } = context;
  cache.networks ??= await readNetworks(files.directory);
  const networks = new Map(cache.networks);
  const problems: string[] = [];
  for (const name of plan.release) {
    await disconnectInterface(uid, name, context);
    networks.delete(name);
    recorder.event(vmi, 'Normal', 'InterfaceUnplugged', `Network interface ${name} has been unplugged`);
  }
  for (const name of plan.detach) problems.push(...(await unplug(local, name, context)));
  for (const name of cache.unpluggedCards.keys())
    if (!Object.hasOwn(domain.view.interfaces, name)) cache.unpluggedCards.delete(name);
  for (const name of plan.attach)
    problems.push(...(await failuresOf(name, () => plugIn(local, name, networks, context))));
  for (const name of plan.check) {
    // What an older version has started is where it is said to be.
    if (!networks.has(name)) networks.set(name, networkNameOf(local, name));
    else if (networks.get(name) !== networkNameOf(local, name))
      problems.push(...(await failuresOf(name, () => move(local, name, networks, context))));
  }
  if (!deepEqual([...networks], [...cache.networks])) await writeNetworks(files.directory, networks);
  cache.networks = networks;
  if (plan.attach.length + plan.check.length > 0) await domains.refresh(domain.ref, { rereadXml: true });
  const condition = cardCondition(problems);
  if (condition && condition.message !== conditionOf(vmi, 'Synchronized')?.message)
    recorder.event(vmi, 'Warning', 'HotPlugNetworkInterfaceError', condition.message ?? '');
  const waits = [
    ...(problems.length > 0 ? [PLUG_AGAIN_MS] : []),
    ...(cache.unpluggedCards.size > 0 ? [DETACH_AGAIN_MS] : []),
  ];
  return { cardProblems: problems, cardsAgainMs: waits.length > 0 ? Math.min(...waits) : undefined };
}

/**
 * Removes what connected cards that the guest has let go of. It is the node that knows what there is: a card may be gone
 * before the VMI's status has told that it was there.
 */
export async function releaseCards({ vmi, uid, domain }: RunningVmi, context: NodeContext): Promise<void> {
  const { interfaces } = (context.domains.get(uid) ?? domain).view;
  const wanted = (vmi.spec.domain.devices.interfaces ?? []).filter(({ state }) => state !== 'absent');
  for (const { iface } of context.secondaryNetworks.cardsOf(uid)) {
    const isInUse = Object.hasOwn(interfaces, iface) || wanted.some(({ name }) => name === iface);
    if (!isInUse) await disconnectInterface(uid, iface, context);
  }
}

async function failuresOf(name: string, work: () => Promise<string[]>): Promise<string[]> {
  try {
    return await work();
  } catch (error) {
    const isExpected =
      error instanceof NetworkError || error instanceof LibvirtError || error instanceof ConversionError;
    // The daemon was busy with something else; nothing is wrong with the card.
    if (!isExpected || isLibvirtError(error, 'OPERATION_TIMEOUT')) throw error;
    return [`network interface ${JSON.stringify(name)} cannot be connected: ${explain(error.message)}`];
  }
}

const explain = (message: string): string =>
  /No more available PCI/.test(message) ? 'the guest has no free PCI port; restart the VM to get more' : message;

const networkNameOf = ({ vmi }: RunningVmi, name: string): string =>
  vmi.spec.networks?.find((each) => each.name === name)?.multus?.networkName ?? '';

async function plugIn(
  local: RunningVmi,
  name: string,
  networks: ConnectedNetworks,
  context: NodeContext,
): Promise<string[]> {
  const { vmi, pod, domain, files, uid, cache } = local;
  const { libvirt, host, recorder, clock } = context;
  const xml = convertInterface(vmi, name, {
    ...launcherOptions(pod),
    architecture: host.architecture,
    domainUuid: uid,
    volumes: {},
    interfaces: { [name]: await connectInterface(vmi, name, context) },
    paths: files.paths,
  });
  await libvirt.long.attachDevice(domain.ref, xml, DeviceFlags.LIVE);
  networks.set(name, networkNameOf(local, name));
  cache.cardPluggedAtMs = clock.now();
  const what = `Network interface ${name} has been plugged in, connected to ${networkNameOf(local, name)}`;
  recorder.event(vmi, 'Normal', 'InterfacePlugged', what);
  return [];
}

/** The guest has to let go of a card, and is asked again if it does not. See `beginDetach` for why not at once. */
async function unplug(
  { vmi, domain, cache }: RunningVmi,
  name: string,
  { libvirt, clock }: NodeContext,
): Promise<string[]> {
  const now = clock.now();
  const { sinceMs = now, askedAtMs = 0 } = cache.unpluggedCards.get(name) ?? {};
  if (now - askedAtMs >= DETACH_AGAIN_MS) {
    cache.unpluggedCards.set(name, { sinceMs, askedAtMs: now });
    await libvirt.calls.detachDeviceByAlias(domain.ref, `ua-${name}`, DeviceFlags.LIVE).catch((error: unknown) => {
      // It was asked before and has not let go yet, or the card has just gone.
      if (!(error instanceof LibvirtError)) throw error;
    });
  }
  if (now - sinceMs < SLOW_MS) return [];
  const { name: guest } = vmi.metadata;
  return [
    `network interface ${JSON.stringify(name)} cannot be unplugged: the guest does not let go of it. ` +
      `A restart removes it: vireo restart ${guest}`,
  ];
}

/** Connects a card to the network that its spec names now. */
async function move(
  local: RunningVmi,
  name: string,
  networks: ConnectedNetworks,
  context: NodeContext,
): Promise<string[]> {
  const { vmi, domain } = local;
  const { libvirt, recorder } = context;
  const wanted = vmi.spec.networks?.find((each) => each.name === name);
  const card = domain.view.interfaces[name];
  if (!wanted || !card) return [];
  const backend = await plannedBackend(vmi, wanted, context);
  if (isJoined(card, backend)) await connectInterface(vmi, name, context);
  else {
    const found = findDevice(await libvirt.calls.domainXml(domain.ref), 'interface', name);
    // What libvirt cannot move is taken out, and comes back connected to the other network.
    if (backend.kind !== 'bridge' || card.bridge === undefined || !found) return unplug(local, name, context);
    await libvirt.long.updateDevice(domain.ref, movedInterfaceXml(found, backend.bridge), DeviceFlags.LIVE);
    const what = `Network interface ${name} has been connected to ${networkNameOf(local, name)}`;
    recorder.event(vmi, 'Normal', 'InterfaceMoved', what);
  }
  networks.set(name, networkNameOf(local, name));
  return [];
}
