import { Node } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { clusterConfig, type HostCapabilities } from '@vireo/hypervisor';
import {
  type Client,
  type Clock,
  consoleLog,
  Informer,
  type Log,
  runController,
  systemClock,
  WorkQueue,
  watch,
} from '@vireo/kube';
import type { DeviceSite } from '../devices/deviceHealth.ts';
import { DeviceWatch } from '../devices/deviceWatch.ts';
import { isOffered } from '../devices/resources.ts';
import { type Wanted, wantedOf } from '../devices/wanted.ts';
import type { Host } from '../host/host.ts';
import { supportOf } from '../registration/hypervisorSupport.ts';
import { cachedCapabilities, FALLBACK_VIRT_TYPE, withHypervisorLabels } from '../registration/syncNode.ts';
import { hostDeviceOffers } from './hostDevices.ts';
import { type KeptPlugin, keepPlugin } from './keepPlugin.ts';
import { kubeletLabelsPatch } from './labels.ts';
import { type Offer, sharedOffer } from './plugin.ts';
import { remembered } from './remembered.ts';

export interface DevicePluginOptions {
  /** Reads the cluster's settings and the Node, and labels the Node. */
  readonly client: Client;
  /** The name of the node is the one that the kubelet has given it. */
  readonly host: Pick<Host, 'name' | 'architecture'>;
  /** What guests could have by a virtualization of that name, for the node's labels; missing: it is not labelled. */
  readonly capabilities?: (virtType: string) => Promise<HostCapabilities>;
  /** Where the kubelet listens, and looks for plug-ins. */
  readonly directory?: string;
  /** Where devices are, and how they are tried; /dev when missing. */
  readonly devices?: DeviceSite & { readonly pollMs?: number };
  /** How often the sockets are looked for. */
  readonly lookMs?: number;
  readonly log?: Log;
  readonly clock?: Clock;
}

/** Where kubelets look for plug-ins. */
export const KUBELET_DIRECTORY = '/var/lib/kubelet/device-plugins';
const LOOK_MS = 1_000;
/** How often devices of the host that guests may use are looked for. */
const RESCAN_MS = 10_000;
/** How soon labels that could not be found out or written are tried again. */
const RELABEL_MS = 600_000;

/**
 * Offers the devices that VMs need, `devices.kubevirt.io/*`, and those of `permittedHostDevices` to the kubelet of this
 * host, and labels its node with what guests could have there, as KubeVirt's virt-handler does. Runs until `signal` aborts.
 */
export async function runDevicePlugins(options: DevicePluginOptions, signal: AbortSignal): Promise<void> {
  const { client, host, log = consoleLog, clock = systemClock } = options;
  const queue = new WorkQueue({ clock });
  const wake = (): void => queue.add(host.name);
  const settings = new Informer(client.of(KubeVirt), { namespace: KUBEVIRT_NAMESPACE, log, clock });
  const own = new Informer(client.of(Node), { fieldSelector: `metadata.name=${host.name}`, log, clock });
  const devices = new DeviceWatch({ ...options.devices, onChange: wake, clock });
  signal.addEventListener('abort', () => devices.close(), { once: true });
  for (const informer of [settings, own]) informer.start(signal);
  await Promise.all([settings, own].map((informer) => informer.whenSynced()));

  const { directory = KUBELET_DIRECTORY, lookMs = LOOK_MS } = options;
  const plugins = new Plugins((offer) => keepPlugin(offer, { directory, lookMs, clock, log }));
  const ask = options.capabilities && cachedCapabilities(remembered(options.capabilities, clock, RELABEL_MS));
  let reported: unknown;

  async function label(wanted: Wanted): Promise<void> {
    const node = own.get(host.name);
    // A kubelet that has not registered it yet will.
    if (!node || !ask) return;
    const states = devices.states;
    const isUsable = supportOf(wanted, states, undefined).problem === undefined;
    const { capabilities, problem } = await ask(isUsable ? wanted.virtType : FALLBACK_VIRT_TYPE);
    const support = withHypervisorLabels(supportOf(wanted, states, problem), capabilities, host.architecture);
    const metadata = kubeletLabelsPatch({ host, support, capabilities }, node);
    if (metadata) await client.of(Node).patch(host.name, { metadata }, { type: 'merge' });
  }

  const reconcile = async () => {
    const [kubevirt] = settings.list();
    const wanted = wantedOf(clusterConfig(kubevirt, host.architecture), host.architecture);
    const permitted = kubevirt?.spec?.configuration?.permittedHostDevices;
    await devices.follow(wanted.devices);
    const shared = devices.states.filter(isOffered).map((device) => sharedOffer(device, wanted.units));
    const names = new Set(shared.map(({ resource }) => resource));
    const ofHost = await hostDeviceOffers(permitted, options.devices?.root);
    await plugins.offer([...shared, ...ofHost.filter(({ resource }) => !names.has(resource))]);
    // Devices of the host come and go without a word.
    const rescan = permitted && { requeueAfterMs: options.devices?.pollMs ?? RESCAN_MS };
    try {
      await label(wanted);
      reported = undefined;
      return rescan;
    } catch (error) {
      // Without libvirt the devices are there all the same. An error that is remembered was reported.
      if (error !== reported) log.warn('the node is not labelled', { kind: Node.kind, name: host.name }, { error });
      reported = error;
      return rescan ?? { requeueAfterMs: RELABEL_MS };
    }
  };
  const name = () => host.name;
  const watches = [watch(own, name), watch(settings, name)];
  try {
    await runController(
      { name: 'device-plugin', queue, watches, initialKeys: () => [host.name], reconcile },
      { log, clock },
      signal,
    );
  } finally {
    await plugins.offer([]);
  }
}

/** One plug-in for each resource that is offered. */
class Plugins {
  readonly #start: (offer: Offer) => KeptPlugin;
  readonly #plugins = new Map<string, KeptPlugin>();

  constructor(start: (offer: Offer) => KeptPlugin) {
    this.#start = start;
  }

  /** Offers exactly these: starts the plug-ins of new ones, and ends those of what has gone. */
  async offer(offers: readonly Offer[]): Promise<void> {
    const wanted = new Set(offers.map(({ resource }) => resource));
    const gone = [...this.#plugins].filter(([resource]) => !wanted.has(resource));
    for (const [resource] of gone) this.#plugins.delete(resource);
    await Promise.all(gone.map(([, plugin]) => plugin.close()));
    for (const offer of offers) {
      const plugin = this.#plugins.get(offer.resource);
      if (plugin) plugin.offer(offer);
      else this.#plugins.set(offer.resource, this.#start(offer));
    }
  }
}
