import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  ConfigMap,
  EndpointSlice,
  NetworkPolicy,
  Node,
  type Persisted,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Service,
} from '@vireo/api';
import { KUBEVIRT_NAMESPACE } from '@vireo/api/kinds/kubevirt/names.ts';
import { NETWORK_CONFIG, type NetworkConfig, parseNetworkConfig } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { connect } from '@vireo/libvirt';
import { nodeLayout } from '@vireo/node';
import { stateDirectory } from '@vireo/node/libvirtd/halfStarts.ts';
import { domainView } from '@vireo/node/vmi/domainView.ts';
import { processesWith, type RunningProcess } from '../e2e/vms/leftovers.ts';
import { type KernelNetwork, readKernel } from './network/kernel.ts';
import { dnsName } from './network/services.ts';
import {
  at,
  DataVolume,
  DRIVE,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceReplicaSet,
  VirtualMachineRestore,
  VirtualMachineSnapshot,
} from './objects.ts';
import type { TestBed } from './testBed.ts';

/** Everything of the storm that the server has, and what is on the host. */
export interface Scene {
  readonly vms: readonly Persisted<VirtualMachine>[];
  readonly vmis: readonly Persisted<VirtualMachineInstance>[];
  readonly pods: readonly Persisted<Pod>[];
  readonly set: Persisted<VirtualMachineInstanceReplicaSet> | undefined;
  readonly snapshots: readonly Persisted<VirtualMachineSnapshot>[];
  readonly restores: readonly Persisted<VirtualMachineRestore>[];
  readonly snapshotContents: readonly Persisted<VirtualMachineSnapshotContent>[];
  readonly volumeSnapshots: readonly Persisted<VolumeSnapshot>[];
  readonly volumeSnapshotContents: readonly Persisted<VolumeSnapshotContent>[];
  readonly dataVolumes: readonly Persisted<DataVolume>[];
  readonly claims: readonly Persisted<PersistentVolumeClaim>[];
  readonly volumes: readonly Persisted<PersistentVolume>[];
  /** Of all namespaces. */
  readonly services: readonly Persisted<Service>[];
  readonly slices: readonly Persisted<EndpointSlice>[];
  readonly policies: readonly Persisted<NetworkPolicy>[];
  readonly nodes: readonly Persisted<Node>[];
  readonly ranges: NetworkConfig | undefined;
  /** The domains that libvirt has; undefined where nothing runs guests. */
  readonly domains: readonly Domain[] | undefined;
  /** The network of the guests in the kernel; undefined where guests have none or nothing runs guests. */
  readonly network: KernelNetwork | undefined;
  readonly host: Host;
}

export interface Domain {
  readonly name: string;
  /** The file that is in its drive; undefined: none, or no drive. */
  readonly disc: string | undefined;
  /** Its card, with the device of the host. */
  readonly card?: { readonly mac: string; readonly device?: string } | undefined;
}

/** What is on the host, by name. */
export interface Host {
  readonly guests: readonly RunningProcess[];
  /** Other processes that work for the home: neither server nor libvirtd. */
  readonly strays: readonly string[];
  /** By the uid of the VMI. */
  readonly files: readonly string[];
  readonly sockets: readonly string[];
  /** By the domain. */
  readonly definitions: readonly string[];
  readonly states: readonly string[];
  /** What libvirt said of a domain. */
  readonly logs: readonly string[];
  /** Where the sockets of QEMU's monitors are; by the beginning of the domain's name. */
  readonly monitors: readonly string[];
  /** By the PersistentVolume. */
  readonly disks: readonly string[];
  /** By the VolumeSnapshotContent. */
  readonly kept: readonly string[];
}

export async function lookAround(testBed: TestBed): Promise<Scene> {
  const { client, home, ground } = testBed;
  // The host first: what is made in between is known to the API then, and is taken for an orphan otherwise.
  const host = await lookAtHost(home, testBed.serverPid);
  const domains = ground === 'real' ? await domainsOf(home) : undefined;
  const names = (await client.of(Service).list()).items.map(dnsName);
  const network = ground === 'real' ? await readKernel(home, names) : undefined;
  const lists = await Promise.all([
    client.of(VirtualMachine).list(at),
    client.of(VirtualMachineInstance).list(at),
    client.of(Pod).list(at),
    client.of(VirtualMachineInstanceReplicaSet).list(at),
    client.of(VirtualMachineSnapshot).list(at),
    client.of(VirtualMachineRestore).list(at),
    client.of(VirtualMachineSnapshotContent).list(at),
    client.of(VolumeSnapshot).list(at),
    client.of(VolumeSnapshotContent).list(),
    client.of(DataVolume).list(at),
    client.of(PersistentVolumeClaim).list(at),
    client.of(PersistentVolume).list(),
    client.of(Service).list(),
    client.of(EndpointSlice).list(),
    client.of(NetworkPolicy).list(),
    client.of(Node).list(),
    client.of(ConfigMap).find(NETWORK_CONFIG, { namespace: KUBEVIRT_NAMESPACE }),
  ]);
  return {
    vms: lists[0].items,
    vmis: lists[1].items,
    pods: lists[2].items,
    set: lists[3].items[0],
    snapshots: lists[4].items,
    restores: lists[5].items,
    snapshotContents: lists[6].items,
    volumeSnapshots: lists[7].items,
    volumeSnapshotContents: lists[8].items,
    dataVolumes: lists[9].items,
    claims: lists[10].items,
    volumes: lists[11].items,
    services: lists[12].items,
    slices: lists[13].items,
    policies: lists[14].items,
    nodes: lists[15].items,
    ranges: parseNetworkConfig(lists[16]),
    domains,
    network,
    host,
  };
}

async function domainsOf(home: string): Promise<Domain[]> {
  const { libvirtSocket, uri } = nodeLayout(home, process.getuid?.() === 0);
  const libvirt = await connect({ socket: libvirtSocket, uri });
  try {
    const domains = await libvirt.listDomains();
    return await Promise.all(
      domains.map(async (domain) => {
        const { drives, interfaces } = domainView(await libvirt.domainXml(domain));
        return { name: domain.name, disc: drives[DRIVE]?.source, card: Object.values(interfaces)[0] };
      }),
    );
  } finally {
    await libvirt.close();
  }
}

/** What libvirtd is started with. */
const EXPECTED = ['libvirtd', 'tini', 'unshare', 'sh'];

/** What there is of a home on this host. `serverPid`: the server that it should have. */
export async function lookAtHost(home: string, serverPid: number): Promise<Host> {
  const layout = nodeLayout(home, process.getuid?.() === 0);
  const list = async (directory: string, suffix = ''): Promise<string[]> =>
    (await readdir(directory).catch(() => []))
      .filter((name) => name.endsWith(suffix))
      .map((name) => name.slice(0, name.length - suffix.length));
  const processes = (await processesWith(home)).filter(({ pid }) => pid !== process.pid && pid !== serverPid);
  const isGuest = ({ command }: RunningProcess): boolean => command[0]?.includes('qemu-system') ?? false;
  return {
    guests: processes.filter(isGuest),
    strays: processes
      .filter((each) => !isGuest(each) && !EXPECTED.includes(basename(each.command[0] ?? '')))
      .map(({ pid, command }) => `${pid} (${command.join(' ').trim()})`),
    files: await list(layout.vmis),
    sockets: await list(join(layout.run, 'machines')),
    definitions: await list(join(layout.libvirt, 'etc/qemu'), '.xml'),
    states: await list(stateDirectory(layout), '.xml'),
    logs: await list(join(layout.libvirt, layout.isRoot ? 'log/qemu' : 'cache/libvirt/qemu/log'), '.log'),
    monitors: (await list(join(layout.libvirt, layout.isRoot ? 'lib/qemu' : 'etc/libvirt/qemu/lib'))).flatMap(
      (name) => /^domain-\d+-(.+)$/.exec(name)?.[1] ?? [],
    ),
    disks: await list(layout.volumes),
    kept: await list(layout.snapshots),
  };
}
