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
  mask: optional(string, 'Which virtual processors are tuned, such as 0-3,^1. All when empty.'),
});
export interface Realtime extends Infer<typeof Realtime> {}

export const CPUFeature = struct('io.kubevirt.v1.CPUFeature', 'A CPU feature and the policy that applies to it.', {
  name: required(string, 'Name of the feature as libvirt knows it, such as vmx.'),
  policy: optional(string, 'force, require, optional, disable or forbid. require when empty.'),
});
export interface CPUFeature extends Infer<typeof CPUFeature> {}

export const CPU = struct(
  'io.kubevirt.v1.CPU',
  "Topology, model and features of the guest's virtual CPUs. Their number is sockets × cores × threads.",
  {
    cores: optional(int64, 'Number of cores per socket. Must be at least 1.'),
    dedicatedCpuPlacement: optional(boolean, 'Whether every virtual processor gets a processor of the node to itself.'),
    features: optional(list(CPUFeature), 'Features to add to the model or to take from it.'),
    isolateEmulatorThread: optional(
      boolean,
      'Whether the emulator gets one more dedicated processor, so that it does not disturb the guest.',
    ),
    maxSockets: optional(int64, 'How far sockets may be raised while the machine runs.'),
    model: optional(
      string,
      "A model that libvirt knows, host-model (the closest to the node's) or host-passthrough (the node's own). host-model when empty.",
    ),
    numa: optional(NUMA, "How the guest's NUMA nodes come about."),
    realtime: optional(Realtime, 'Tunes the guest for real-time workloads. Needs dedicatedCpuPlacement.'),
    sockets: optional(int64, 'Sockets; at least 1. Can be raised while the machine runs.'),
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
