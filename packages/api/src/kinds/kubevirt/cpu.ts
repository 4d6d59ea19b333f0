import { boolean, type Infer, int64, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const NUMAGuestMappingPassthrough = struct(
  'io.kubevirt.v1.NUMAGuestMappingPassthrough',
  'Gives the guest the NUMA layout of the processors that it is pinned to.',
  {},
);
export interface NUMAGuestMappingPassthrough extends Infer<typeof NUMAGuestMappingPassthrough> {}

export const NUMA = struct('io.kubevirt.v1.NUMA', "How the guest's NUMA nodes come about.", {
  guestMappingPassthrough: optional(
    NUMAGuestMappingPassthrough,
    'Mirror the layout of the host. Needs dedicated processors and huge pages.',
  ),
});
export interface NUMA extends Infer<typeof NUMA> {}

export const Realtime = struct('io.kubevirt.v1.Realtime', 'Tunes a machine for low latency.', {
  mask: optional(string, 'Which virtual processors are tuned, such as 0-3,^1. All when empty.'),
});
export interface Realtime extends Infer<typeof Realtime> {}

export const CPUFeature = struct(
  'io.kubevirt.v1.CPUFeature',
  'One feature of the processor, and how strictly it is wanted.',
  {
    name: required(string, 'Name of the feature as libvirt knows it, such as vmx.'),
    policy: optional(string, 'force, require, optional, disable or forbid. require when empty.'),
  },
);
export interface CPUFeature extends Infer<typeof CPUFeature> {}

export const CPU = struct(
  'io.kubevirt.v1.CPU',
  'The processors that the guest sees: sockets × cores × threads of them.',
  {
    cores: optional(int64, 'Cores a socket; at least 1.'),
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
    realtime: optional(Realtime, 'Tuning for low latency.'),
    sockets: optional(int64, 'Sockets; at least 1. Can be raised while the machine runs.'),
    threads: optional(int64, 'Threads a core; at least 1.'),
  },
);
export interface CPU extends Infer<typeof CPU> {}

export const CPUTopology = struct('io.kubevirt.v1.CPUTopology', 'How many processors a machine has.', {
  cores: optional(int64, 'Cores a socket.'),
  sockets: optional(int64, 'Sockets.'),
  threads: optional(int64, 'Threads a core.'),
});
export interface CPUTopology extends Infer<typeof CPUTopology> {}
