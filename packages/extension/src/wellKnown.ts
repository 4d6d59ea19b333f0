/** Names that KubeVirt's tools know. */

export const NAMESPACE = 'kubevirt';
/** The one object that holds the settings of the installation, in that namespace. */
export const KUBEVIRT_NAME = 'kubevirt';
/** The Service in that namespace that webhook configurations and APIServices name. */
export const SERVICE_NAME = 'virt-api';

export const SUBRESOURCE_GROUP = 'subresources.kubevirt.io';
/** The versions of that group, the preferred one first. All have the same actions. */
export const SUBRESOURCE_VERSIONS = ['v1', 'v1alpha3'] as const;

/** Where Harvester's actions are subresources, in one version. */
export const HARVESTER_GROUP = 'subresources.harvesterhci.io';
export const HARVESTER_VERSION = 'v1beta1';
/** The Service that APIServices written for Harvester name. */
export const HARVESTER_SERVICE = { namespace: 'harvester-system', name: 'harvester' } as const;

/** The release of KubeVirt whose API this is: clients compare it with their own. */
export const KUBEVIRT_VERSION = 'v1.9.0';
