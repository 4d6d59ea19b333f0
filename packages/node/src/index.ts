export { BOOT_SECTOR_IMAGE, GUEST_IMAGE, ImageStore, type LocalImage } from './disks/images.ts';
export { resumeFencing } from './fencing/resumeFencing.ts';
export {
  bootSectorDisk,
  bootSectorFarewell,
  bootSectorGuest,
  bootSectorIso,
  bootSectorMarker,
} from './guestImage/bootSectorGuest.ts';
export { type BuildOptions, type BuildProgress, buildGuestImage } from './guestImage/buildGuestImage.ts';
export { type Host, hostName, readHost } from './host/host.ts';
export { type KvmProbe, probeKvm } from './host/probeKvm.ts';
export { IDENTITY, NODES_IDENTITY, USER } from './identity.ts';
export { type IsoOptions, isoImage } from './iso9660.ts';
export { type Hypervisor, startHypervisor } from './libvirtd/hypervisor.ts';
export { type NodeLayout, nodeLayout, runtimeDirectory } from './libvirtd/layout.ts';
export { followClientAuthority } from './listener/clientAuthority.ts';
export { listenAsNode, type NodeEndpoint, type NodeListener } from './listener/listen.ts';
export type { NetworkKind } from './network/guestNetwork.ts';
export type { NodeEndpointAddress } from './registration/nodeObject.ts';
export { OtherHostError } from './registration/otherHost.ts';
export type { HealthSource } from './registration/readiness.ts';
export { type EvacuationResult, evacuateNode, type NodeEvacuation } from './shutdown/evacuateNode.ts';
export type { GuestProcess } from './shutdown/guestProcesses.ts';
export { type LeftRunning, leftRunning } from './shutdown/leftRunning.ts';
export type { ShutdownOptions, ShutdownProgress } from './shutdown/shutDownGuests.ts';
export { shutDownNode } from './shutdown/shutDownNode.ts';
export { type Simulation, type SimulationOptions, startSimulatedNodes } from './simulated/index.ts';
export { removeStaleNodes } from './simulated/stale.ts';
export { type NodeOptions, type RunningNode, startNode } from './startNode.ts';
