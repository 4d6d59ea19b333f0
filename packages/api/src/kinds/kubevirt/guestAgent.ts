import { ListMeta } from '../../meta.ts';
import { boolean, double, type Infer, int32, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const VirtualMachineInstanceGuestOSInfo = struct(
  'io.kubevirt.v1.VirtualMachineInstanceGuestOSInfo',
  'The operating system of the guest, as its agent tells.',
  {
    id: optional(string, 'Short name, such as debian.'),
    kernelRelease: optional(string, 'Release of the kernel.'),
    kernelVersion: optional(string, 'Version of the kernel.'),
    machine: optional(string, 'Architecture.'),
    name: optional(string, 'Name.'),
    prettyName: optional(string, 'Name and version, for people.'),
    version: optional(string, 'Version, for people.'),
    versionId: optional(string, 'Version, for programs.'),
  },
);
export interface VirtualMachineInstanceGuestOSInfo extends Infer<typeof VirtualMachineInstanceGuestOSInfo> {}

export const VirtualMachineInstanceGuestOSUser = struct(
  'io.kubevirt.v1.VirtualMachineInstanceGuestOSUser',
  'A user who is logged in.',
  {
    domain: optional(string, 'Domain of the user, on Windows.'),
    loginTime: optional(double, 'When the user logged in, in seconds since 1970.'),
    userName: required(string, 'Name of the user.'),
  },
);
export interface VirtualMachineInstanceGuestOSUser extends Infer<typeof VirtualMachineInstanceGuestOSUser> {}

export const VirtualMachineInstanceFileSystemDisk = struct(
  'io.kubevirt.v1.VirtualMachineInstanceFileSystemDisk',
  'A disk that a filesystem is on.',
  {
    busType: required(string, 'How the guest reaches it.'),
    serial: optional(string, 'Serial number of the disk.'),
  },
);
export interface VirtualMachineInstanceFileSystemDisk extends Infer<typeof VirtualMachineInstanceFileSystemDisk> {}

export const VirtualMachineInstanceFileSystem = struct(
  'io.kubevirt.v1.VirtualMachineInstanceFileSystem',
  'A filesystem of the guest.',
  {
    disk: optional(list(VirtualMachineInstanceFileSystemDisk), 'The disks that it is on.'),
    diskName: required(string, 'Name of the device.'),
    fileSystemType: required(string, 'Type, such as ext4.'),
    mountPoint: required(string, 'Where it is mounted.'),
    totalBytes: required(int32, 'Its size.'),
    usedBytes: required(int32, 'How much of it is used.'),
  },
);
export interface VirtualMachineInstanceFileSystem extends Infer<typeof VirtualMachineInstanceFileSystem> {}

export const VirtualMachineInstanceFileSystemInfo = struct(
  'io.kubevirt.v1.VirtualMachineInstanceFileSystemInfo',
  'The filesystems of the guest.',
  {
    disks: required(list(VirtualMachineInstanceFileSystem), 'The filesystems.'),
  },
);
export interface VirtualMachineInstanceFileSystemInfo extends Infer<typeof VirtualMachineInstanceFileSystemInfo> {}

export const GuestAgentCommandInfo = struct('io.kubevirt.v1.GuestAgentCommandInfo', 'A command of the guest agent.', {
  enabled: optional(boolean, 'Whether it may be used.'),
  name: required(string, 'Name of the command.'),
});
export interface GuestAgentCommandInfo extends Infer<typeof GuestAgentCommandInfo> {}

export const VirtualMachineInstanceGuestAgentInfo = struct(
  'io.kubevirt.v1.VirtualMachineInstanceGuestAgentInfo',
  'What the guest agent tells: the answer to guestosinfo.',
  {
    apiVersion: optional(string, 'Group and version of the object.'),
    fsFreezeStatus: optional(string, 'frozen while filesystems are frozen.'),
    fsInfo: optional(VirtualMachineInstanceFileSystemInfo, 'The filesystems.'),
    guestAgentVersion: optional(string, 'Version of the agent.'),
    hostname: optional(string, 'Host name of the guest.'),
    kind: optional(string, 'Kind of the object.'),
    os: optional(VirtualMachineInstanceGuestOSInfo, 'The operating system.'),
    supportedCommands: optional(list(GuestAgentCommandInfo, 'atomic'), 'Commands that the agent knows.'),
    timezone: optional(string, 'Time zone of the guest.'),
    userList: optional(list(VirtualMachineInstanceGuestOSUser), 'Users who are logged in.'),
  },
);
export interface VirtualMachineInstanceGuestAgentInfo extends Infer<typeof VirtualMachineInstanceGuestAgentInfo> {}

export const VirtualMachineInstanceGuestOSUserList = struct(
  'io.kubevirt.v1.VirtualMachineInstanceGuestOSUserList',
  'The users who are logged in: the answer to userlist.',
  {
    apiVersion: optional(string, 'Group and version of the object.'),
    items: required(list(VirtualMachineInstanceGuestOSUser), 'The users.'),
    kind: optional(string, 'Kind of the object.'),
    metadata: optional(ListMeta, 'Nothing of note.'),
  },
);
export interface VirtualMachineInstanceGuestOSUserList extends Infer<typeof VirtualMachineInstanceGuestOSUserList> {}

export const VirtualMachineInstanceFileSystemList = struct(
  'io.kubevirt.v1.VirtualMachineInstanceFileSystemList',
  'The filesystems of the guest: the answer to filesystemlist.',
  {
    apiVersion: optional(string, 'Group and version of the object.'),
    items: required(list(VirtualMachineInstanceFileSystem), 'The filesystems.'),
    kind: optional(string, 'Kind of the object.'),
    metadata: optional(ListMeta, 'Nothing of note.'),
  },
);
export interface VirtualMachineInstanceFileSystemList extends Infer<typeof VirtualMachineInstanceFileSystemList> {}
