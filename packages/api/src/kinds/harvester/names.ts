/** Groups, labels and annotations by which Harvester's parts and clients speak to each other. */

export const HARVESTER_GROUP = 'harvesterhci.io';
/** Where Harvester's actions are subresources, in one version. */
export const HARVESTER_SUBRESOURCE_GROUP = 'subresources.harvesterhci.io';
export const HARVESTER_SUBRESOURCE_VERSION = 'v1beta1';
/** The Service that APIServices written for Harvester name. */
export const HARVESTER_SERVICE = { namespace: 'harvester-system', name: 'harvester' } as const;

const own = (name: string): string => `${HARVESTER_GROUP}/${name}`;

/** On claims and snapshots: `namespace/name` of the image that the data began with. */
export const IMAGE_ID = own('imageId');
/** On images, a label: how users call it. */
export const IMAGE_DISPLAY_NAME = own('imageDisplayName');
/** On images, a label: `true` where claims of other namespaces may be made from it. */
export const IMAGE_SHARED = 'vireo.io/image-shared';
/** On images and snapshots: the class that claims made from them are to have. */
export const STORAGE_CLASS_NAME = own('storageClassName');
/** On snapshots: who keeps the data of the claim that they are of. */
export const STORAGE_PROVISIONER_NAME = own('storageProvisioner');
/** On claims, a label: the uid of the VM that an action has made the disc for. */
export const DISC_OF = 'vireo.io/disc-of';
/** On such claims: `drive/claim`. A copy of the claim has another name, and is no disc of the VM. */
export const DISC = 'vireo.io/disc';
/** On VMs: a JSON list of the claims that go with them. */
export const VOLUME_CLAIM_TEMPLATES = own('volumeClaimTemplates');
/** On versions of templates, a label: the name of their template. */
export const TEMPLATE_ID = 'template.harvesterhci.io/templateID';
/** In the metadata of a VM's template: a JSON list of its KeyPairs, as `namespace/name`. */
export const SSH_NAMES = own('sshNames');
/** On VMs: why a ResourceQuota of Kubernetes does not let them start. */
export const INSUFFICIENT_QUOTA = own('insufficient-resource-quota');
/** On VMs: the uid of the VMI of which somebody does not want to be told that any more. */
export const QUOTA_DISMISSED = 'vireo.io/insufficient-resource-quota-dismissed';
/** On VMs: how they ran before they were halted. */
export const RUN_STRATEGY = own('vmRunStrategy');

/** On VMIs: that they move, by which migration, and where to if somebody has chosen that. */
export const MIGRATION_STATE = own('migrationState');
/** How far it is where it waits for its turn. */
export const PENDING_MIGRATION = 'Pending migration';
export const MIGRATION_UID = own('migrationUID');
export const MIGRATION_TARGET_NODE = own('migrationTargetNodeName');

/** On VMs: `true` where the action `cpuAndMemoryHotplug` may change them. */
export const CPU_AND_MEMORY_HOTPLUG = own('enableCPUAndMemoryHotplug');

/** On VMs, a label: who made them; Harvester's node driver makes nodes of clusters. */
export const CREATOR = own('creator');
export const NODE_DRIVER = 'docker-machine-driver-harvester';
/** On NetworkAttachmentDefinitions, a label: the cluster network that they belong to. */
export const CLUSTER_NETWORK = 'network.harvesterhci.io/clusternetwork';
/** On NetworkAttachmentDefinitions: `true` for networks that Harvester makes for storage. */
export const STORAGE_NETWORK = 'storage-network.settings.harvesterhci.io';

/** On nodes: somebody asked for maintenance; with force, whatever becomes of VMs that cannot move. */
export const DRAIN_REQUESTED = own('drain-requested');
export const DRAIN_FORCED = own('drain-forced');
/** On nodes: `running` while VMs are leaving, `completed` when they have. */
export const MAINTAIN_STATUS = own('maintain-status');
/** On VMs, a label: what becomes of them when their node is maintained. */
export const MAINTAIN_STRATEGY = own('maintain-mode-strategy');
/** On VMs: the node whose maintenance stopped them, while they are to be started again. */
export const MAINTAIN_NODE = own('maintain-mode-strategy-node-name');
/** A taint of nodes that VMs are leaving. */
export const DRAIN_TAINT = 'kubevirt.io/drain';

/** On nodes: JSON with the policy of the CPU manager that somebody asked for, and how far it is. */
export const CPU_MANAGER_UPDATE = own('cpu-manager-update-status');

/** The strategies by which a VM is shut down for maintenance; without one it would have to move. */
export const SHUTDOWN_STRATEGIES = ['ShutdownAndRestartAfterEnable', 'ShutdownAndRestartAfterDisable', 'Shutdown'];
