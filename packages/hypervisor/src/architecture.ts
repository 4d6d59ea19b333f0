/** Processor architectures in Kubernetes' words, and what libvirt calls them. */
export type Architecture = 'amd64' | 'arm64' | 's390x';

export const ARCHITECTURES: readonly Architecture[] = ['amd64', 'arm64', 's390x'];

export const isArchitecture = (name: string): name is Architecture => ARCHITECTURES.some((known) => known === name);

/** The architecture of the host that this process runs on; amd64 if VMs cannot have it. */
export function hostArchitecture(): Architecture {
  const name = process.arch === 'x64' ? 'amd64' : process.arch;
  return isArchitecture(name) ? name : 'amd64';
}

/** libvirt's word for an architecture. */
export const LIBVIRT_ARCHITECTURE: Readonly<Record<Architecture, string>> = {
  amd64: 'x86_64',
  arm64: 'aarch64',
  s390x: 's390x',
};

/** The machine type that KubeVirt gives a VMI that asks for none. */
export const DEFAULT_MACHINE_TYPE: Readonly<Record<Architecture, string>> = {
  amd64: 'q35',
  arm64: 'virt',
  s390x: 's390-ccw-virtio',
};

/** Whether VMIs of the machine type have PCIe ports: q35 and ARM's virt, in all their versions. */
export const hasPcie = (machineType: string): boolean => /^(pc-)?q35|^virt(-|$)/.test(machineType);

/** The architecture of a VMI: its own, else the cluster's. */
export const architectureOf = (
  spec: { readonly architecture?: string },
  cluster: { readonly defaultArchitecture: Architecture },
): string => spec.architecture || cluster.defaultArchitecture;
