import { boolean, type Infer, int32, list, map, quantity, string, struct, time } from '../../schema.ts';
import { optional } from '../customResource.ts';
import { VMIMConfigurationOptions } from './migrationConfiguration.ts';

export const VirtualMachineInstanceMigrationSourceState = struct(
  'io.kubevirt.v1.VirtualMachineInstanceMigrationSourceState',
  'State of a migration on its source.',
  {
    domainName: optional(string, 'Name of the libvirt domain.'),
    domainNamespace: optional(string, 'Namespace of the libvirt domain.'),
    migrationUID: optional(string, 'UID of the migration.'),
    node: optional(string, 'Name of the source node.'),
    nodeSelectors: optional(map(string), 'Labels that the target node must have.'),
    persistentStatePVCName: optional(string, 'Claim that holds the state of TPM and UEFI.'),
    pod: optional(string, 'Name of the launcher pod.'),
    selinuxContext: optional(string, 'SELinux context of the launcher pod.'),
    syncAddress: optional(string, 'Address of the other side of the migration.'),
    virtualMachineInstanceUID: optional(string, 'UID of the VirtualMachineInstance.'),
  },
);
export interface VirtualMachineInstanceMigrationSourceState
  extends Infer<typeof VirtualMachineInstanceMigrationSourceState> {}

export const VirtualMachineInstanceMigrationTargetState = struct(
  'io.kubevirt.v1.VirtualMachineInstanceMigrationTargetState',
  'State of a migration on its target.',
  {
    attachmentPodUID: optional(string, 'UID of the pod that attached volumes.'),
    cpuSet: optional(list(int32, 'atomic'), 'Processors that the guest is pinned to.'),
    directMigrationNodePorts: optional(map(int32), 'Ports that the target listens on, and what for.'),
    domainDetected: optional(boolean, 'Whether the domain was seen at the target.'),
    domainName: optional(string, 'Name of the libvirt domain.'),
    domainNamespace: optional(string, 'Namespace of the libvirt domain.'),
    domainReadyTimestamp: optional(time, 'When the domain was seen ready.'),
    migrationUID: optional(string, 'UID of the migration.'),
    node: optional(string, 'Name of the target node.'),
    nodeAddress: optional(string, 'Address of the target node.'),
    nodeTopology: optional(string, 'Processors and memory of the node, as JSON.'),
    persistentStatePVCName: optional(string, 'Claim that holds the state of TPM and UEFI.'),
    pod: optional(string, 'Name of the launcher pod.'),
    selinuxContext: optional(string, 'SELinux context of the launcher pod.'),
    syncAddress: optional(string, 'Address of the other side of the migration.'),
    virtualMachineInstanceUID: optional(string, 'UID of the VirtualMachineInstance.'),
  },
);
export interface VirtualMachineInstanceMigrationTargetState
  extends Infer<typeof VirtualMachineInstanceMigrationTargetState> {}

export const VirtualMachineInstanceMigrationState = struct(
  'io.kubevirt.v1.VirtualMachineInstanceMigrationState',
  'State of the migration that is running, or of the last one.',
  {
    abortRequested: optional(boolean, 'Whether a user has asked to abort the migration.'),
    abortStatus: optional(string, 'Progress of the abort: Aborting, Failed or Succeeded.'),
    completed: optional(boolean, 'Whether the migration has finished, successfully or not.'),
    endTimestamp: optional(time, 'Time at which the migration finished.'),
    failed: optional(boolean, 'Whether the migration has failed.'),
    failureReason: optional(string, 'Reason why the migration failed.'),
    migrationConfiguration: optional(VMIMConfigurationOptions, 'Live migration settings that were in effect.'),
    migrationNetworkType: optional(string, 'Network that the migration used: pod or migration.'),
    migrationPolicyName: optional(string, 'Name of the MigrationPolicy that was applied.'),
    migrationUid: optional(string, 'UID of the migration.'),
    mode: optional(string, 'Mode of the migration: PreCopy, PostCopy or Paused.'),
    sourceNode: optional(string, 'Name of the source node.'),
    sourcePersistentStatePVCName: optional(string, 'Claim with the state of TPM and UEFI at the source.'),
    sourcePod: optional(string, 'Name of the launcher pod on the source node.'),
    sourceState: optional(VirtualMachineInstanceMigrationSourceState, 'State of the migration on its source.'),
    startTimestamp: optional(time, 'Time at which the migration started.'),
    targetAttachmentPodUID: optional(string, 'UID of the pod that attached volumes at the target.'),
    targetCPUSet: optional(list(int32, 'atomic'), 'Processors of the target that the guest is pinned to.'),
    targetDirectMigrationNodePorts: optional(map(int32), 'Ports that the target listens on, and what for.'),
    targetMemoryOverhead: optional(
      quantity,
      "Memory that running the guest needs on the target in addition to the guest's own.",
    ),
    targetNode: optional(string, 'Name of the target node.'),
    targetNodeAddress: optional(string, 'Address of the target node.'),
    targetNodeDomainDetected: optional(boolean, 'Whether the domain was seen at the target.'),
    targetNodeDomainReadyTimestamp: optional(time, 'When the domain was seen ready at the target.'),
    targetNodeTopology: optional(string, 'Processors and memory of the target, as JSON.'),
    targetPersistentStatePVCName: optional(string, 'Claim with the state of TPM and UEFI at the target.'),
    targetPod: optional(string, 'Name of the launcher pod on the target node.'),
    targetState: optional(VirtualMachineInstanceMigrationTargetState, 'State of the migration on its target.'),
  },
);
export interface VirtualMachineInstanceMigrationState extends Infer<typeof VirtualMachineInstanceMigrationState> {}
