/** Paths of Harvester's that are no types and are not served, and what there is instead. */
export const NOT_SERVED: Readonly<Record<string, string>> = {
  kubeconfig: 'the kubeconfig of Vireo is a file of its home, whose path `vireo kubeconfig` prints',
  'plugin-assets': "there are no plug-ins of Rancher's dashboard",
  supportbundles: 'there is no SupportBundle; create an UpgradeLog, whose link download has the same',
};

/** Kinds of harvesterhci.io that there are not, in the singular. */
export const ABSENT_KINDS: Readonly<Record<string, string>> = {
  addon: 'there are no add-ons; all that Vireo does is in it from the start',
  blockdevice: 'disks of hosts are not handed out; volumes are files, and StorageClasses say where',
  preference: 'there is no dashboard of Rancher whose preferences it would keep',
  supportbundle: NOT_SERVED.supportbundles!,
  upgrade: 'Vireo is upgraded by its package on each host, not by an object',
  version: 'Vireo is upgraded by its package on each host, not by an object',
  virtualmachineimagedownloader: 'the link download of an image needs no preparation',
};

/** Groups of Harvester, and of what Harvester is made of, whose kinds there are not. */
export const ABSENT_GROUPS: Readonly<Record<string, string>> = {
  'network.harvesterhci.io': 'networks of hosts are not configured; a NetworkAttachmentDefinition names a bridge',
  'devices.harvesterhci.io': 'VMs cannot have devices of their host',
  'loadbalancer.harvesterhci.io': 'a Service of type LoadBalancer has the addresses of the nodes',
  'node.harvesterhci.io': 'hosts are configured by their own tools',
  'longhorn.io': 'there is no Longhorn; volumes are files on the nodes or in a directory that they share',
  'management.cattle.io': 'there is no Rancher: users and permissions are those of Kubernetes, by its roles',
  'catalog.cattle.io': 'there is no Rancher, and no catalogue of charts',
  'logging.banzaicloud.io': 'there is no operator for logs; `vireo logs` prints them',
  'monitoring.coreos.com': 'there is no Prometheus operator; any Prometheus can read /metrics',
};

/** Why there is no type of that name, singular or plural, where Harvester has or may have one. */
export function whyAbsent(type: string): string | undefined {
  const name = type.toLowerCase();
  const dot = name.lastIndexOf('.');
  const [group, kind] = [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)];
  if (group === 'harvesterhci.io')
    return ABSENT_KINDS[kind] ?? ABSENT_KINDS[kind.replace(/s$/, '')] ?? 'Vireo does not have this kind';
  return ABSENT_GROUPS[group];
}
