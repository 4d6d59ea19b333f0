import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pod } from '@vireo/api';
import { AGENT_VERSION_SUFFIX } from '@vireo/api/kinds/kubevirt/identities.ts';
import { DEVICE_PREFIX } from '@vireo/hypervisor';
import {
  type Client,
  type Clock,
  consoleLog,
  controllerMetrics,
  EventRecorder,
  exposition,
  type Log,
  Metrics,
  type NodeApi,
  type NodeLogs,
  systemClock,
  WorkQueue,
} from '@vireo/kube';
import { ReconnectingLibvirt } from '@vireo/libvirt';
import { useRunner } from '@vireo/network';
import { nodeApi, nodeLogs } from './api/nodeApi.ts';
import type { NodeContext } from './context.ts';
import { CpuManager } from './cpus/cpuManager.ts';
import type { DeviceSite } from './devices/deviceHealth.ts';
import { ImageStore } from './disks/images.ts';
import { productName } from './downwardMetrics/hostMetrics.ts';
import { DownwardMetrics } from './downwardMetrics/index.ts';
import { endForeignGuests } from './fencing/foreignGuests.ts';
import { nodeFence } from './fencing/nodeFence.ts';
import { Orphans } from './fencing/orphans.ts';
import { GuestUsers } from './guests/users.ts';
import { nodeAddress6 } from './host/address6.ts';
import { parseTsc, readCapabilities } from './host/capabilities.ts';
import { readAllowedCpus, readCpuTopology } from './host/cpuTopology.ts';
import { type DiskState, DiskWatch } from './host/diskSpace.ts';
import { readHost } from './host/host.ts';
import { kvmTest } from './host/kvmTest.ts';
import { type KvmProbe, probeKvm } from './host/probeKvm.ts';
import { type Hypervisor, startHypervisor } from './libvirtd/hypervisor.ts';
import { GuestGroups } from './limits/guestGroups.ts';
import { describeLimits } from './limits/place.ts';
import { readCounters } from './metrics/cardCounters.ts';
import { StatsReader } from './metrics/domainStats.ts';
import { observeNode } from './metrics/index.ts';
import { resourceReader } from './metrics/resourceMetrics.ts';
import { Migrations } from './migration/index.ts';
import type { NetworkKind } from './network/guestNetwork.ts';
import { joinNetwork } from './network/join.ts';
import { networkOwner } from './network/owner.ts';
import { SecondaryNetworks } from './network/secondary/secondaryNetworks.ts';
import { healthOf } from './registration/health.ts';
import { formerMachineIds, recordMachineId } from './registration/machineRecord.ts';
import type { NodeEndpointAddress } from './registration/nodeObject.ts';
import { nodeReference } from './registration/nodeReference.ts';
import type { OtherHostError } from './registration/otherHost.ts';
import { type HealthSource, keepReadiness, pressureEvent } from './registration/readiness.ts';
import { keepHeartbeat } from './registration/register.ts';
import { syncNode } from './registration/syncNode.ts';
import { guestProcesses } from './shutdown/guestProcesses.ts';
import { VmiController } from './vmi/controller.ts';
import { DomainInformer, domainKey } from './vmi/domainInformer.ts';
import { vmisWithFiles } from './vmi/files.ts';
import { guestsOf } from './volumes/guests.ts';
import { startVolumes } from './volumes/index.ts';

export interface NodeOptions {
  /** Where everything that lasts is kept. */
  readonly home: string;
  /** Acts as `nodeUser` of the node's name: VMIs, claims and volumes. */
  readonly client: Client;
  /** Acts as `kubeletUser` of the node's name: its Node, Lease and pods, what those pods name, and events. */
  readonly kubelet: Client;
  /** The node's name; this host's when missing. */
  readonly name?: string;
  /** Of Vireo, for people. */
  readonly version?: string;
  /** Whether KVM can be used, where that is known already. */
  readonly kvm?: KvmProbe;
  /** Where the guest image that Vireo builds is kept; below the home when missing. */
  readonly imageCache?: string;
  /** The home's libvirtd, where it was started before. */
  readonly hypervisor?: Promise<Hypervisor>;
  /** Where the cluster reaches this node; missing: in the process of its server. */
  readonly endpoint?: NodeEndpointAddress;
  /** Whether a new Node keeps pods away that do not tolerate virtual kubelets. */
  readonly taint?: boolean;
  /** What guests get as pod network; `user` when missing. */
  readonly podNetwork?: 'routed' | 'user';
  /** Where this host's devices are, and how they are tried; /dev when missing. */
  readonly devices?: DeviceSite;
  readonly log?: Log;
  /** Where the node and its guests are counted. */
  readonly metrics?: Metrics;
  readonly clock?: Clock;
}

export interface RunningNode extends HealthSource {
  readonly name: string;
  readonly kvm: KvmProbe;
  /** What guests get as pod network. */
  readonly network: NetworkKind;
  readonly api: NodeApi;
  /** All pods that are bound to this node. */
  pods(): readonly Pod[];
  /** For the server: the logs of the pods on this node, and what it and they use. */
  connection(): NodeLogs;
  /** Resolves if another host has become this node: the agent then does nothing any more. */
  readonly replaced: Promise<OtherHostError>;
  /** Resolves when all has stopped; guests go on. */
  readonly ended: Promise<void>;
}

/** The Kubernetes whose pods it understands, for those who compare versions of nodes and servers. */
const AGENT_VERSION = `v1.36.0${AGENT_VERSION_SUFFIX}`;

/**
 * Makes this host a node. Resolves when it is registered and takes VMs; runs until `stop` aborts, or until another host has
 * become this node.
 */
export async function startNode(options: NodeOptions, stop: AbortSignal): Promise<RunningNode> {
  useRunner();
  const halt = new AbortController();
  const signal = AbortSignal.any([stop, halt.signal]);
  const { home, client, kubelet, log = consoleLog, metrics: registry = new Metrics(), clock = systemClock } = options;
  const metrics = controllerMetrics(registry, 'kubevirt_', 'virt-handler');
  const [kvm, { layout, supervisor, keepAlive, session }] = await Promise.all([
    options.kvm ?? probeKvm(),
    options.hypervisor ?? startHypervisor(home, log),
  ]);
  const found = await readHost(home);
  const { endpoint, taint } = options;
  const name = options.name ?? found.name;
  const known = join(home, 'known-server.json');
  const host = {
    ...found,
    name,
    ...(endpoint && {
      address: endpoint.address,
      formerMachineIds: await formerMachineIds(home, name, { kubelet, known }),
    }),
  };
  const replaced = Promise.withResolvers<OtherHostError>();

  const libvirt = new ReconnectingLibvirt({ socket: layout.libvirtSocket, uri: layout.uri, keepAlive });
  supervisor.watch(libvirt, signal);
  const queue = new WorkQueue({ clock });
  const recorder = new EventRecorder(kubelet, { component: 'virt-handler', host: host.name, log, clock });
  const enqueue = (key: string): void => queue.add(key);
  const domains = new DomainInformer(libvirt, enqueue, log);
  const disk = new DiskWatch({ volumes: layout.volumes, others: [home], clock, log });
  const images = new ImageStore({
    directory: layout.images,
    cache: options.imageCache ?? join(layout.images, 'guest'),
    log: (line) => log.info(line, { kind: 'Node', name: host.name }),
    architecture: host.architecture,
    node: host.name,
    clock,
    signal,
  });
  images.keepTidy(signal);
  try {
    await mkdir(layout.volumes, { recursive: true, mode: 0o700 });
    const users = await GuestUsers.open(home, layout, (why) => {
      const node = nodeReference(host.name);
      log.warn('guests run as root', node, { why });
      recorder.event(node, 'Warning', 'GuestsRunAsRoot', `guests run as root: ${why}`);
    });
    const groups = await GuestGroups.open(layout);
    const limits = describeLimits(groups.support);
    if (!limits.areComplete && layout.isRoot)
      log.warn('guests are not limited', nodeReference(host.name), { why: limits.message });
    await disk.read();
    await libvirt.connected({ signal });
    await domains.start(clock, signal);
    const withFiles = await vmisWithFiles(layout);
    const cpus = await CpuManager.open(
      {
        topology: await readCpuTopology(),
        allowed: await readAllowedCpus(),
        file: join(home, 'cpus.json'),
        node: host.name,
        guests: () => guestProcesses(layout),
        log,
      },
      (uid) => withFiles.has(uid) || domains.get(uid) !== undefined,
    );
    // Before the server, and whoever asks it, takes the node for alive.
    const orphans = await Orphans.open({
      client,
      kubelet,
      libvirt,
      domains,
      host,
      recorder,
      log,
      clock,
      enqueue,
      file: known,
    });
    const settle = () => endForeignGuests({ client, libvirt, domains, host, log, orphans });
    await settle();
    const { major, minor, release } = await libvirt.calls.version();
    const { version: vireo } = options;
    const versions = { libvirt: `${major}.${minor}.${release}`, agent: AGENT_VERSION, ...(vireo && { vireo }) };
    const capabilities = (virtType: string) => readCapabilities(libvirt.calls, host, virtType);
    const tsc = async () => parseTsc(await libvirt.long.capabilities());
    const devices = options.devices ?? { tests: { [`${DEVICE_PREFIX}kvm`]: kvmTest(kvm, users) } };
    const nodeSync = await syncNode(
      {
        client,
        kubelet,
        recorder,
        host,
        kvm,
        versions,
        capabilities,
        tsc,
        devices,
        disk: () => disk.state,
        limits: groups.support,
        dedicableCpus: cpus.dedicableCount,
        onCpuManagerPolicy: (policy) => {
          cpus.policy = policy;
        },
        address6: (addresses) => nodeAddress6(host.address, addresses),
        ...(endpoint && { endpoint }),
        ...(taint !== undefined && { taint }),
        onReplaced: (error) => {
          log.error('this host stops being a node; its guests are left as they are', nodeReference(name), { error });
          replaced.resolve(error);
          halt.abort();
        },
        log,
        metrics,
        clock,
      },
      signal,
    );
    if (endpoint) await recordMachineId(home, host.machineId);
    const { network, ended: networkEnded } = await joinNetwork(
      {
        client,
        kubelet,
        home,
        node: host.name,
        address: host.address,
        isRouted: options.podNetwork === 'routed',
        whenNode: nodeSync.whenNode,
        guestIds: users?.ids,
        session,
        libvirtSocket: layout.libvirtSocket,
        wantsRoot: nodeSync.wantsRoot,
        report: nodeSync.report,
        isThere: (uid) => withFiles.has(uid) || domains.get(uid) !== undefined,
        recorder,
        log,
        metrics,
        clock,
      },
      signal,
    );
    const secondaryNetworks = await SecondaryNetworks.open(
      { client, home, owner: networkOwner(home), isRoot: layout.isRoot, recorder, log },
      (uid) => withFiles.has(uid) || domains.get(uid) !== undefined,
    );
    const guests = await guestsOf(libvirt, domains, { vmis: layout.vmis, log });
    const volumes = await startVolumes(
      {
        client,
        kubelet,
        recorder,
        log,
        metrics,
        clock,
        node: host.name,
        directory: layout.volumes,
        snapshotDirectory: layout.snapshots,
        runtimeDirectory: layout.run,
        images,
        guests,
        enqueue,
      },
      signal,
    );
    const fence = nodeFence({ node: host.name, layout, policy: nodeSync.leasePolicy, settle, recorder, log });
    const downwardMetrics = new DownwardMetrics({
      names: { node: host.name, product: productName(await libvirt.calls.hypervisorVersion()) },
      domains,
      stats: new StatsReader(libvirt, clock),
      log,
      clock,
    });
    let controller: VmiController;
    const context: NodeContext = {
      get migrations() {
        return migrations;
      },
      fence,
      orphans,
      client,
      kubelet,
      libvirt,
      supervisor,
      domains,
      layout,
      images,
      volumes,
      guests,
      users,
      wantsRoot: nodeSync.wantsRoot,
      evictionStrategy: nodeSync.evictionStrategy,
      hasHostModel: nodeSync.hasHostModel,
      areStartsHeld: nodeSync.areStartsHeld,
      groups,
      cpus,
      network,
      secondaryNetworks,
      host,
      downwardMetrics,
      disk,
      recorder,
      enqueue,
      log,
      metrics,
      clock,
    };
    const migrations = new Migrations(context, { home, find: (key) => controller.localVmi(key) }, signal);
    controller = new VmiController(context, queue);
    const { ended } = await controller.start(signal);
    const health = healthOf(libvirt, supervisor, disk);
    const vmi = (key: string) => controller.localVmi(key)?.vmi;
    const macvtapsOf = (uid: string) => secondaryNetworks.macvtapsOf(uid);
    observeNode(registry, { name: host.name, libvirt, domains, vmi, macvtapsOf, readCounters, health, log, clock });
    const resources = resourceReader({
      node: host.name,
      libvirt,
      clock,
      launcher: (key, uid) => {
        const local = controller.localVmi(key);
        return local?.uid === uid ? local.pod : undefined;
      },
    });
    const orphansWatched = orphans.run(signal);
    const { refusal } = nodeSync;
    const heartbeat = keepHeartbeat(kubelet, host.name, health, { clock, log, fence, refusal }, signal);
    const readiness = keepReadiness(kubelet, host.name, health, { clock, log, refusal }, signal);
    const reportPressure = (state: DiskState): void => {
      const { type, reason, message } = pressureEvent(host.name, state);
      recorder.event(nodeReference(host.name), type, reason, message);
      for (const { ref } of domains.all()) enqueue(domainKey(ref));
    };
    disk.onPressureChange(reportPressure);
    if (disk.state?.isUnderPressure) reportPressure(disk.state);
    const diskWatch = disk.run(signal);
    const streams = new AbortController();
    const stopped = Promise.all([
      ended,
      volumes.ended,
      orphansWatched,
      heartbeat,
      readiness,
      diskWatch,
      downwardMetrics.run(signal),
      nodeSync.ended,
      networkEnded,
    ]).then(async () => {
      streams.abort();
      await migrations.close();
      await secondaryNetworks[Symbol.asyncDispose]();
      recorder.close();
      await libvirt.close();
    });
    return {
      name: host.name,
      kvm,
      network: network.describe(),
      api: nodeApi(controller, context, resources, streams.signal),
      ...health,
      pods: () => controller.pods(),
      connection: () =>
        nodeLogs(controller, {
          resources,
          metrics: () => exposition(new Map([['virt-handler', registry]])),
          problem: () => health.problem(),
        }),
      replaced: replaced.promise,
      ended: stopped,
    };
  } catch (error) {
    await libvirt.close();
    throw error;
  }
}
