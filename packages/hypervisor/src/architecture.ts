/** Processor architectures in Kubernetes' words, and what libvirt calls them. */
export type Architecture = 'amd64' | 'arm64' | 's390x';

export const ARCHITECTURES: readonly Architecture[] = ['amd64', 'arm64', 's390x'];

export const isArchitecture = (name: string): name is Architecture => ARCHITECTURES.some((known) => known === name);

/** libvirt's word for an architecture. */
export const LIBVIRT_ARCHITECTURE: Readonly<Record<Architecture, string>> = {
  amd64: 'x86_64',
  arm64: 'aarch64',
  s390x: 's390x',
};

/** The machine type that KubeVirt gives a VMI that asks for none. */
export const DEFAULT_MACHINE: Readonly<Record<Architecture, string>> = {
  amd64: 'q35',
  arm64: 'virt',
  s390x: 's390-ccw-virtio',
};

/** Whether the machine has PCIe ports: q35 and ARM's virt, in all their versions. */
export const isPcieMachine = (machine: string): boolean => /^(pc-)?q35|^virt(-|$)/.test(machine);

/** The architecture of a VMI: its own, else the cluster's. */
export const architectureOf = (
  spec: { readonly architecture?: string },
  cluster: { readonly defaultArchitecture: Architecture },
): string => spec.architecture || cluster.defaultArchitecture;
