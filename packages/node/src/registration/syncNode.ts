import { Node } from '@vireo/api';
import {
  type CpuManagerPolicy,
  cpuManagerAnnotation,
  cpuManagerPolicy,
  cpuManagerUpdate,
  isCpuManagerUpdating,
} from '@vireo/api/kinds/harvester/cpuManager.ts';
import { fencingPolicy } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { heldStartsReason } from '@vireo/api/kinds/kubevirt/restored.ts';
import {
  type ClusterConfig,
  clusterConfig,
  type HostCapabilities,
  hasHostModelLabel,
  PluginHookError,
  resolveLabeller,
} from '@vireo/hypervisor';
import {
  type Client,
  type Clock,
  type ControllerMetrics,
  type EventRecorder,
  Informer,
  type Log,
  pause,
  runController,
  WorkQueue,
  watch,
} from '@vireo/kube';
import type { DeviceSite, DeviceState } from '../devices/deviceHealth.ts';
import { DeviceWatch } from '../devices/deviceWatch.ts';
import { wantedOf } from '../devices/wanted.ts';
import type { DiskState } from '../host/diskSpace.ts';
import { type HypervisorSupport, supportEvents, supportOf } from './hypervisorSupport.ts';
import { addressesPatch, labelsPatch, type NodeFacts, supportPatch } from './nodeObject.ts';
import { type OtherHostError, otherHostProblem } from './otherHost.ts';
import type { ConditionDraft, Refusal } from './readiness.ts';
import { registerNode } from './register.ts';

export interface NodeSyncContext
  extends Pick<NodeFacts, 'host' | 'kvm' | 'versions' | 'limits' | 'dedicableCpus' | 'endpoint' | 'taint'> {
  /** Reads the settings. */
  readonly client: Client;
  /** Writes the Node. */
  readonly kubelet: Client;
  readonly recorder: Pick<EventRecorder, 'event'>;
  /** What guests can have by a virtualization of that name; rejects where libvirt does not know it. */
  readonly capabilities: (virtType: string) => Promise<HostCapabilities>;
  /** The clock of the processor. Asked for in the background, for libvirt takes its time over it. */
  readonly tsc?: () => Promise<HostCapabilities['tsc']>;
  /** Where devices are, for those who bring their own. */
  readonly devices?: DeviceSite & { readonly pollMs?: number };
  /** Told the policy that the node is to have for dedicated CPUs. */
  readonly onCpuManagerPolicy?: (policy: CpuManagerPolicy) => void;
  /** The node's IPv6 address, if it has any; `known`: the addresses that its Node has. */
  readonly address6?: (known: readonly string[]) => Promise<string | undefined>;
  /** Told when another host has become the node. */
  readonly onReplaced?: (error: OtherHostError) => void;
  /** How full the node's disk is. */
  readonly disk?: () => DiskState | undefined;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  readonly clock: Clock;
}

export interface NodeSync {
  readonly ended: Promise<void>;
  /** Whether the cluster's settings have guests run as root. */
  readonly wantsRoot: () => boolean;
  /** What becomes of guests whose node is drained, where their VMIs do not say it. */
  readonly evictionStrategy: () => string;
  /** Whether the Node has the label that guests with the host's CPU model choose their next node by. */
  readonly hasHostModel: () => boolean;
  /** Whether no guest is to be started: the server was restored from a backup, or another host has become this node. */
  readonly areStartsHeld: () => boolean;
  /** Resolves with the Node as soon as it is as asked for, or with undefined after a while. */
  readonly whenNode: (isSo: (node: Node) => boolean, timeoutMs: number) => Promise<Node | undefined>;
  /** Has the Node tell these conditions as well. To be called again when they have changed. */
  readonly report: (conditions: () => readonly ConditionDraft[]) => void;
  /** Why this host may not report as the node: another host has become it since. */
  readonly refusal: Refusal;
  /** What the administrator of the node wants to happen when the node is silent. */
  readonly leasePolicy: () => ReturnType<typeof fencingPolicy>;
}

/** What every host can: the result for a hypervisor that libvirt does not know. */
export const FALLBACK_VIRT_TYPE = 'qemu';
/** A node that runs no VMs looks this often whether it could. */
const RECHECK_MS = 60_000;
/** Guests that run on the processor itself see its clock. */
const HARDWARE_VIRT_TYPE = 'kvm';
/**
 * Registers the node and keeps what it says of devices, labels and hypervisor true to this host and to the settings of
 * the cluster, until `signal` aborts. Resolves when it is registered.
 */
export async function syncNode(context: NodeSyncContext, signal: AbortSignal): Promise<NodeSync> {
  const { client, kubelet, host, log, clock } = context;
  const queue = new WorkQueue({ clock });
  const wake = (): void => queue.add(host.name);
  const settings = new Informer(client.of(KubeVirt), { namespace: KUBEVIRT_NAMESPACE, log, clock });
  const own = new Informer(kubelet.of(Node), { fieldSelector: `metadata.name=${host.name}`, log, clock });
  const devices = new DeviceWatch({ ...context.devices, onChange: wake, clock });
  signal.addEventListener('abort', () => devices.close(), { once: true });
  for (const informer of [settings, own]) informer.start(signal);
  await Promise.all([settings, own].map((informer) => informer.whenSynced()));

  let last: { readonly support: HypervisorSupport; readonly devices: readonly DeviceState[] } | undefined;
  const ask = cachedCapabilities(context.capabilities);
  let tsc: HostCapabilities['tsc'];
  let askTsc = context.tsc;
  let conditions: () => readonly ConditionDraft[] = () => [];

  async function readFacts(): Promise<NodeFacts> {
    const wanted = wantedOf(clusterConfig(settings.list()[0], host.architecture), host.architecture);
    await devices.follow(wanted.devices);
    const states = devices.states;
    const support = supportOf(wanted, states, undefined);
    const { capabilities: answered, problem } = await ask(
      support.problem === undefined ? wanted.virtType : FALLBACK_VIRT_TYPE,
    );
    if (wanted.virtType === HARDWARE_VIRT_TYPE && support.problem === undefined) readTsc();
    const { kvm, versions, dedicableCpus, endpoint, taint } = context;
    const cpuPolicy = cpuManagerPolicy(own.get(host.name));
    context.onCpuManagerPolicy?.(cpuPolicy);
    const known = (own.get(host.name)?.status?.addresses ?? []).map(({ address }) => address);
    const address6 = await context.address6?.(known);
    const capabilities = tsc ? { ...answered, tsc } : answered;
    return {
      host,
      kvm,
      disk: context.disk?.(),
      limits: context.limits,
      conditions: conditions(),
      versions,
      ...(dedicableCpus !== undefined && { dedicableCpus, hasCpuManager: dedicableCpus > 0 && cpuPolicy === 'static' }),
      ...(endpoint && { endpoint }),
      ...(address6 !== undefined && { address6 }),
      ...(taint !== undefined && { taint }),
      capabilities,
      devices: states,
      support: withHypervisorLabels(supportOf(wanted, states, problem), capabilities, host.architecture),
    };
  }

  /** Once: the clock of a processor does not change. */
  function readTsc(): void {
    const ask = askTsc;
    askTsc = undefined;
    void ask?.().then(
      (found) => {
        tsc = found;
        if (found) wake();
      },
      (error: unknown) =>
        log.warn('libvirt does not report the CPU frequency', { kind: Node.kind, name: host.name }, { error }),
    );
  }

  const refusal = () => (context.endpoint ? otherHostProblem(own.get(host.name), host) : undefined);

  async function writeNode(facts: NodeFacts): Promise<void> {
    const now = new Date(clock.now());
    const nodes = kubelet.of(Node);
    const node = own.get(host.name) ?? (await nodes.find(host.name));
    if (!node) return recordEvents(facts, await registerNode(kubelet, facts, now));
    const refused = refusal();
    if (refused) return context.onReplaced?.(refused);
    const labels = labelsPatch(facts, node);
    const done = finishCpuManagerUpdate(node);
    const metadata = done ? { ...labels, annotations: { ...labels?.annotations, ...done } } : labels;
    if (metadata) await nodes.patch(host.name, { metadata }, { type: 'merge' });
    const status = supportPatch(facts, node, now);
    if (status) await nodes.patchStatus(host.name, { status }, { type: 'strategic' });
    const addresses = addressesPatch(facts, node);
    if (addresses) await nodes.patchStatus(host.name, { status: addresses }, { type: 'merge' });
    recordEvents(facts, node);
  }

  /** The annotation that tells whoever asked for another policy that the node has it, or cannot. */
  function finishCpuManagerUpdate(node: Node): Record<string, string> | undefined {
    const update = cpuManagerUpdate(node);
    if (!update || !isCpuManagerUpdating(node)) return undefined;
    const isPossible = update.policy === 'none' || (context.dedicableCpus ?? 0) > 0;
    if (!isPossible) {
      const message = `node ${host.name} has no CPU to spare: the first core is never dedicated to a VM`;
      context.recorder.event(node, 'Warning', 'CPUManagerNotPossible', message);
    }
    return cpuManagerAnnotation({ ...update, status: isPossible ? 'success' : 'failed' });
  }

  function recordEvents(facts: NodeFacts, node: Node): void {
    for (const { type, reason, message } of supportEvents(host.name, last, facts))
      context.recorder.event(node, type, reason, message);
    const { capabilities, support } = facts;
    const isObsolete = capabilities.hostModel !== undefined && support.obsoleteModels.has(capabilities.hostModel);
    if (isObsolete && !last) {
      const message = `the CPU of node ${host.name}, ${capabilities.hostModel}, is an obsolete model`;
      context.recorder.event(node, 'Warning', 'HostModelIsObsolete', message);
    }
    last = facts;
  }

  const first = await readFacts();
  recordEvents(first, await registerNode(kubelet, first, new Date(clock.now())));
  const reconcile = async () => {
    const facts = await readFacts();
    await writeNode(facts);
    return facts.support.problem === undefined ? undefined : { requeueAfterMs: RECHECK_MS };
  };
  const name = () => host.name;
  const watches = [
    // Somebody may have removed the node or changed its labels.
    watch(own, { updated: name, deleted: name }),
    watch(settings, name),
  ];
  // What changed while the node was registered is found by looking once more.
  const initialKeys = () => [host.name];
  const ended = runController({ name: 'node-offer', queue, watches, initialKeys, reconcile }, context, signal);
  const config = (): ClusterConfig => clusterConfig(settings.list()[0], host.architecture);
  return {
    ended,
    whenNode: async (isSo, timeoutMs) => {
      const deadline = clock.now() + timeoutMs;
      for (;;) {
        const node = own.get(host.name);
        if (node && isSo(node)) return node;
        if (clock.now() >= deadline || signal.aborted) return undefined;
        await pause(50, signal, clock);
      }
    },
    report: (told) => {
      conditions = told;
      wake();
    },
    wantsRoot: () => config().gates.has('Root'),
    evictionStrategy: () => config().evictionStrategy,
    hasHostModel: () => hasHostModelLabel(own.get(host.name)?.metadata.labels),
    refusal,
    areStartsHeld: () =>
      refusal() !== undefined || settings.list().some((each) => heldStartsReason(each) !== undefined),
    leasePolicy: () => {
      const node = own.get(host.name);
      return node && fencingPolicy(node);
    },
  };
}

/** The node's support with the hypervisor's own labels, or why the hypervisor cannot even say what the node can do: then it runs no VMs either. */
export function withHypervisorLabels(
  support: HypervisorSupport,
  capabilities: HostCapabilities,
  architecture: string,
): HypervisorSupport {
  try {
    const features = resolveLabeller(support.hypervisor, false, architecture).discoverFeatures?.(capabilities) ?? {};
    return { ...support, features };
  } catch (error) {
    if (!(error instanceof PluginHookError)) throw error;
    return { ...support, problem: support.problem ?? error.message, isLabelled: false };
  }
}

interface CapabilitiesResult {
  readonly capabilities: HostCapabilities;
  /** Why libvirt said nothing of what it was asked for. */
  readonly problem?: string;
}

/**
 * Asks once for each virtualization: what libvirt says of it changes with QEMU, and then we are started anew. Where it
 * said nothing it is asked again: it may not have been well.
 */
export function cachedCapabilities(
  capabilities: NodeSyncContext['capabilities'],
): (virtType: string) => Promise<CapabilitiesResult> {
  const known = new Map<string, CapabilitiesResult>();
  return async (virtType) => {
    const result = known.get(virtType) ?? (await capabilitiesOrFallback(capabilities, virtType));
    if (result.problem === undefined) known.set(virtType, result);
    return result;
  };
}

async function capabilitiesOrFallback(
  capabilities: NodeSyncContext['capabilities'],
  virtType: string,
): Promise<CapabilitiesResult> {
  if (virtType === FALLBACK_VIRT_TYPE) return { capabilities: await capabilities(virtType) };
  try {
    return { capabilities: await capabilities(virtType) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { capabilities: await capabilities(FALLBACK_VIRT_TYPE), problem };
  }
}
