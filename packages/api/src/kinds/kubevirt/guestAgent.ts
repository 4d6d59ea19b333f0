import { ListMeta } from '../../meta.ts';
import { boolean, double, type Infer, int32, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const VirtualMachineInstanceGuestOSInfo = struct(
  'io.kubevirt.v1.VirtualMachineInstanceGuestOSInfo',
  'Operating system of the guest, as the guest agent reports it.',
  {
    id: optional(string, 'ID of the operating system, such as debian.'),
    kernelRelease: optional(string, "Release of the guest's kernel."),
    kernelVersion: optional(string, "Version of the guest's kernel."),
    machine: optional(string, "Architecture of the guest's kernel, such as x86_64."),
    name: optional(string, 'Name of the operating system.'),
    prettyName: optional(string, 'Name and version of the operating system for display.'),
    version: optional(string, 'Version of the operating system for display.'),
    versionId: optional(string, 'Version of the operating system for programs.'),
  },
);
export interface VirtualMachineInstanceGuestOSInfo extends Infer<typeof VirtualMachineInstanceGuestOSInfo> {}

export const VirtualMachineInstanceGuestOSUser = struct(
  'io.kubevirt.v1.VirtualMachineInstanceGuestOSUser',
  'A user who is logged in to the guest.',
  {
    domain: optional(string, 'Domain of the user, on Windows.'),
    loginTime: optional(double, 'When the user logged in, in seconds since 1970.'),
    userName: required(string, 'Name of the user.'),
  },
);
export interface VirtualMachineInstanceGuestOSUser extends Infer<typeof VirtualMachineInstanceGuestOSUser> {}

export const VirtualMachineInstanceFileSystemDisk = struct(
  'io.kubevirt.v1.VirtualMachineInstanceFileSystemDisk',
  'A disk that holds the filesystem.',
  {
    busType: required(string, 'Bus of the disk, such as virtio.'),
    serial: optional(string, 'Serial number of the disk.'),
  },
);
export interface VirtualMachineInstanceFileSystemDisk extends Infer<typeof VirtualMachineInstanceFileSystemDisk> {}

export const VirtualMachineInstanceFileSystem = struct(
  'io.kubevirt.v1.VirtualMachineInstanceFileSystem',
  'A filesystem that the guest has mounted.',
  {
    disk: optional(list(VirtualMachineInstanceFileSystemDisk), 'Disks that the filesystem is on.'),
    diskName: required(string, 'Name of the block device in the guest.'),
    fileSystemType: required(string, 'Type of the filesystem, such as ext4.'),
    mountPoint: required(string, 'Directory that the filesystem is mounted at.'),
    totalBytes: required(int32, 'Size of the filesystem in bytes.'),
    usedBytes: required(int32, 'Number of bytes in use.'),
  },
);
export interface VirtualMachineInstanceFileSystem extends Infer<typeof VirtualMachineInstanceFileSystem> {}

export const VirtualMachineInstanceFileSystemInfo = struct(
  'io.kubevirt.v1.VirtualMachineInstanceFileSystemInfo',
  'Filesystems that the guest has mounted.',
  {
    disks: required(list(VirtualMachineInstanceFileSystem), 'Filesystems that the guest has mounted.'),
  },
);
export interface VirtualMachineInstanceFileSystemInfo extends Infer<typeof VirtualMachineInstanceFileSystemInfo> {}

export const GuestAgentCommandInfo = struct('io.kubevirt.v1.GuestAgentCommandInfo', 'A command of the guest agent.', {
  enabled: optional(boolean, 'Whether the agent accepts the command.'),
  name: required(string, 'Name of the command.'),
});
export interface GuestAgentCommandInfo extends Infer<typeof GuestAgentCommandInfo> {}

export const VirtualMachineInstanceGuestAgentInfo = struct(
  'io.kubevirt.v1.VirtualMachineInstanceGuestAgentInfo',
  'Response of the guestosinfo subresource: what the guest agent reports.',
  {
    apiVersion: optional(string, 'Group and version of the object.'),
    fsFreezeStatus: optional(string, "Set to frozen while the guest's filesystems are frozen."),
    fsInfo: optional(VirtualMachineInstanceFileSystemInfo, 'Filesystems that the guest has mounted.'),
    guestAgentVersion: optional(string, 'Version of the guest agent.'),
    hostname: optional(string, 'Host name of the guest.'),
    kind: optional(string, 'Kind of the object.'),
    os: optional(VirtualMachineInstanceGuestOSInfo, 'Operating system of the guest.'),
    supportedCommands: optional(list(GuestAgentCommandInfo, 'atomic'), 'Commands that the guest agent supports.'),
    timezone: optional(string, 'Time zone of the guest.'),
    userList: optional(list(VirtualMachineInstanceGuestOSUser), 'Users who are logged in to the guest.'),
  },
);
export interface VirtualMachineInstanceGuestAgentInfo extends Infer<typeof VirtualMachineInstanceGuestAgentInfo> {}

export const VirtualMachineInstanceGuestOSUserList = struct(
  'io.kubevirt.v1.VirtualMachineInstanceGuestOSUserList',
  'Response of the userlist subresource: users who are logged in to the guest.',
  {
    apiVersion: optional(string, 'Group and version of the object.'),
    items: required(list(VirtualMachineInstanceGuestOSUser), 'Users who are logged in to the guest.'),
    kind: optional(string, 'Kind of the object.'),
    metadata: optional(ListMeta, 'Standard metadata of a list.'),
  },
);
export interface VirtualMachineInstanceGuestOSUserList extends Infer<typeof VirtualMachineInstanceGuestOSUserList> {}

export const VirtualMachineInstanceFileSystemList = struct(
  'io.kubevirt.v1.VirtualMachineInstanceFileSystemList',
  'Response of the filesystemlist subresource: filesystems that the guest has mounted.',
  {
    apiVersion: optional(string, 'Group and version of the object.'),
    items: required(list(VirtualMachineInstanceFileSystem), 'Filesystems that the guest has mounted.'),
    kind: optional(string, 'Kind of the object.'),
    metadata: optional(ListMeta, 'Standard metadata of a list.'),
  },
);
export interface VirtualMachineInstanceFileSystemList extends Infer<typeof VirtualMachineInstanceFileSystemList> {}
