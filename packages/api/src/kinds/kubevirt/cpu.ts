import { boolean, type Infer, int64, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const NUMAGuestMappingPassthrough = struct(
  'io.kubevirt.v1.NUMAGuestMappingPassthrough',
  'Mirrors the NUMA topology of the CPUs that the guest is pinned to.',
  {},
);
export interface NUMAGuestMappingPassthrough extends Infer<typeof NUMAGuestMappingPassthrough> {}

export const NUMA = struct('io.kubevirt.v1.NUMA', 'NUMA topology that the guest sees.', {
  guestMappingPassthrough: optional(
    NUMAGuestMappingPassthrough,
    'Mirror the layout of the host. Needs dedicated processors and huge pages.',
  ),
});
export interface NUMA extends Infer<typeof NUMA> {}

export const Realtime = struct('io.kubevirt.v1.Realtime', 'Tunes the guest for real-time workloads.', {
  mask: optional(string, 'Virtual CPUs to tune, such as 0-3,^1. If empty, all.'),
});
export interface Realtime extends Infer<typeof Realtime> {}

export const CPUFeature = struct('io.kubevirt.v1.CPUFeature', 'A CPU feature and the policy that applies to it.', {
  name: required(string, 'Name of the feature in libvirt, such as vmx.'),
  policy: optional(string, 'Policy for the feature: force, require, optional, disable or forbid. Defaults to require.'),
});
export interface CPUFeature extends Infer<typeof CPUFeature> {}

export const CPU = struct(
  'io.kubevirt.v1.CPU',
  "Topology, model and features of the guest's virtual CPUs. Their number is sockets × cores × threads.",
  {
    cores: optional(int64, 'Number of cores per socket. Must be at least 1.'),
    dedicatedCpuPlacement: optional(boolean, 'Whether every virtual processor gets a processor of the node to itself.'),
    features: optional(list(CPUFeature), 'CPU features to add to the model or to remove from it.'),
    isolateEmulatorThread: optional(
      boolean,
      'Whether the emulator thread gets an additional dedicated CPU, so that it does not disturb the guest.',
    ),
    maxSockets: optional(int64, 'Maximum number of sockets that can be hotplugged while the guest runs.'),
    model: optional(
      string,
      "CPU model: a name that libvirt knows, host-model (closest to the node's CPU) or host-passthrough (the node's CPU itself). Defaults to host-model.",
    ),
    numa: optional(NUMA, "How the guest's NUMA nodes come about."),
    realtime: optional(Realtime, 'Tunes the guest for real-time workloads. Needs dedicatedCpuPlacement.'),
    sockets: optional(int64, 'Number of sockets. Must be at least 1. Raising it hotplugs CPUs into the running guest.'),
    threads: optional(int64, 'Number of threads per core. Must be at least 1.'),
  },
);
export interface CPU extends Infer<typeof CPU> {}

export const CPUTopology = struct('io.kubevirt.v1.CPUTopology', 'CPU topology of a running guest.', {
  cores: optional(int64, 'Number of cores per socket.'),
  sockets: optional(int64, 'Number of CPU sockets in use.'),
  threads: optional(int64, 'Number of threads per core.'),
});
export interface CPUTopology extends Infer<typeof CPUTopology> {}
