import type { Client, Clock, ControllerMetrics, EventRecorder, Log } from '@vireo/kube';
import type { ReconnectingLibvirt } from '@vireo/libvirt';
import type { CpuManager } from './cpus/cpuManager.ts';
import type { ImageStore } from './disks/images.ts';
import type { DownwardMetrics } from './downwardMetrics/index.ts';
import type { Fence } from './fencing/fence.ts';
import type { Orphans } from './fencing/orphans.ts';
import type { GuestUsers } from './guests/users.ts';
import type { DiskWatch } from './host/diskSpace.ts';
import type { Host } from './host/host.ts';
import type { NodeLayout } from './libvirtd/layout.ts';
import type { LibvirtdSupervisor } from './libvirtd/supervisor.ts';
import type { GuestGroups } from './limits/guestGroups.ts';
import type { Migrations } from './migration/index.ts';
import type { GuestNetwork } from './network/guestNetwork.ts';
import type { SecondaryNetworks } from './network/secondary/secondaryNetworks.ts';
import type { DomainInformer } from './vmi/domainInformer.ts';
import type { Guests } from './volumes/guests.ts';
import type { NodeVolumes } from './volumes/index.ts';

/** What the parts of a node share. */
export interface NodeContext {
  /** For VMIs and all that is neither the Node nor a pod. */
  readonly client: Client;
  /** For the node's pods and what they name. */
  readonly kubelet: Client;
  readonly libvirt: ReconnectingLibvirt;
  /** Guests that a server that was restored does not know. */
  readonly orphans: Pick<Orphans, 'has'>;
  readonly supervisor: Pick<LibvirtdSupervisor, 'replace'>;
  readonly domains: DomainInformer;
  readonly layout: NodeLayout;
  readonly images: ImageStore;
  readonly volumes: NodeVolumes;
  readonly guests: Pick<Guests, 'resume' | 'isHeld'>;
  /** The users of guests; undefined where they run as we do. */
  readonly users: GuestUsers | undefined;
  /** Whether the cluster wants new guests to run as root: KubeVirt's feature gate `Root`. */
  readonly wantsRoot: () => boolean;
  /** What becomes of guests whose node is drained, where their VMIs do not say it. */
  readonly evictionStrategy: () => string;
  /** Whether the Node says which CPU model guests have that see the host's. */
  readonly hasHostModel: () => boolean;
  /** Whether no guest is to be started: the server was restored from a backup, or another host has become this node. */
  readonly areStartsHeld: () => boolean;
  /** The cgroups of guests. */
  readonly groups: GuestGroups;
  readonly cpus: Pick<CpuManager, 'topology' | 'claim' | 'release' | 'confineShared'>;
  /** How guests are joined to the pod network. */
  readonly network: GuestNetwork;
  /** How guests are joined to other networks. */
  readonly secondaryNetworks: SecondaryNetworks;
  readonly host: Host;
  /** Whether guests may be started: a node that the server has not heard of for too long starts none. */
  readonly fence: Pick<Fence, 'mayStart' | 'whyEnded'>;
  /** Guests that come from other nodes, and go to them. */
  readonly migrations: Migrations;
  /** What guests are told of their node. */
  readonly downwardMetrics: Pick<DownwardMetrics, 'follow'>;
  /** How full the disk is that guests write to. */
  readonly disk: Pick<DiskWatch, 'state'>;
  readonly recorder: Pick<EventRecorder, 'event'>;
  /** Has the VMI of that key reconciled. */
  readonly enqueue: (key: string) => void;
  readonly log: Log;
  readonly metrics?: ControllerMetrics;
  readonly clock: Clock;
}
