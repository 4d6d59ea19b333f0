import { boolean, type Infer, int32, list, map, quantity, string, struct, time } from '../../schema.ts';
import { optional } from '../customResource.ts';
import { VMIMConfigurationOptions } from './migrationConfiguration.ts';

export const VirtualMachineInstanceMigrationSourceState = struct(
  'io.kubevirt.v1.VirtualMachineInstanceMigrationSourceState',
  'The migration as the source sees it.',
  {
    domainName: optional(string, 'Name of the domain.'),
    domainNamespace: optional(string, 'Namespace of the domain.'),
    migrationUID: optional(string, 'UID of the migration.'),
    node: optional(string, 'The node.'),
    nodeSelectors: optional(map(string), 'Labels that the target node must have.'),
    persistentStatePVCName: optional(string, 'Claim that holds the state of TPM and UEFI.'),
    pod: optional(string, 'The launcher.'),
    selinuxContext: optional(string, 'SELinux context of the launcher.'),
    syncAddress: optional(string, 'Where the other side is reached.'),
    virtualMachineInstanceUID: optional(string, 'UID of the instance.'),
  },
);
export interface VirtualMachineInstanceMigrationSourceState
  extends Infer<typeof VirtualMachineInstanceMigrationSourceState> {}

export const VirtualMachineInstanceMigrationTargetState = struct(
  'io.kubevirt.v1.VirtualMachineInstanceMigrationTargetState',
  'The migration as the target sees it.',
  {
    attachmentPodUID: optional(string, 'UID of the pod that attached volumes.'),
    cpuSet: optional(list(int32, 'atomic'), 'Processors that the guest is pinned to.'),
    directMigrationNodePorts: optional(map(int32), 'Ports that the target listens on, and what for.'),
    domainDetected: optional(boolean, 'Whether the domain was seen at the target.'),
    domainName: optional(string, 'Name of the domain.'),
    domainNamespace: optional(string, 'Namespace of the domain.'),
    domainReadyTimestamp: optional(time, 'When the domain was seen ready.'),
    migrationUID: optional(string, 'UID of the migration.'),
    node: optional(string, 'The node.'),
    nodeAddress: optional(string, 'Address of the node.'),
    nodeTopology: optional(string, 'Processors and memory of the node, as JSON.'),
    persistentStatePVCName: optional(string, 'Claim that holds the state of TPM and UEFI.'),
    pod: optional(string, 'The launcher.'),
    selinuxContext: optional(string, 'SELinux context of the launcher.'),
    syncAddress: optional(string, 'Where the other side is reached.'),
    virtualMachineInstanceUID: optional(string, 'UID of the instance.'),
  },
);
export interface VirtualMachineInstanceMigrationTargetState
  extends Infer<typeof VirtualMachineInstanceMigrationTargetState> {}

export const VirtualMachineInstanceMigrationState = struct(
  'io.kubevirt.v1.VirtualMachineInstanceMigrationState',
  'How the current or last migration of an instance is going.',
  {
    abortRequested: optional(boolean, 'Whether it was asked to stop.'),
    abortStatus: optional(string, 'How stopping it went: Aborting, Failed or Succeeded.'),
    completed: optional(boolean, 'Whether it has ended.'),
    endTimestamp: optional(time, 'When it ended.'),
    failed: optional(boolean, 'Whether it has failed.'),
    failureReason: optional(string, 'Why it failed.'),
    migrationConfiguration: optional(VMIMConfigurationOptions, 'How it was configured.'),
    migrationNetworkType: optional(string, 'Which network it used.'),
    migrationPolicyName: optional(string, 'The migration policy that applied.'),
    migrationUid: optional(string, 'UID of the migration.'),
    mode: optional(string, 'PreCopy, PostCopy or Paused.'),
    sourceNode: optional(string, 'The node that it left.'),
    sourcePersistentStatePVCName: optional(string, 'Claim with the state of TPM and UEFI at the source.'),
    sourcePod: optional(string, 'The launcher at the source.'),
    sourceState: optional(VirtualMachineInstanceMigrationSourceState, 'The migration as the source sees it.'),
    startTimestamp: optional(time, 'When it began.'),
    targetAttachmentPodUID: optional(string, 'UID of the pod that attached volumes at the target.'),
    targetCPUSet: optional(list(int32, 'atomic'), 'Processors of the target that the guest is pinned to.'),
    targetDirectMigrationNodePorts: optional(map(int32), 'Ports that the target listens on, and what for.'),
    targetMemoryOverhead: optional(quantity, 'What running the guest costs at the target beyond its memory.'),
    targetNode: optional(string, 'The node that it goes to.'),
    targetNodeAddress: optional(string, 'Address of that node.'),
    targetNodeDomainDetected: optional(boolean, 'Whether the domain was seen at the target.'),
    targetNodeDomainReadyTimestamp: optional(time, 'When the domain was seen ready at the target.'),
    targetNodeTopology: optional(string, 'Processors and memory of the target, as JSON.'),
    targetPersistentStatePVCName: optional(string, 'Claim with the state of TPM and UEFI at the target.'),
    targetPod: optional(string, 'The launcher at the target.'),
    targetState: optional(VirtualMachineInstanceMigrationTargetState, 'The migration as the target sees it.'),
  },
);
export interface VirtualMachineInstanceMigrationState extends Infer<typeof VirtualMachineInstanceMigrationState> {}
