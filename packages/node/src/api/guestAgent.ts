import type {
  VirtualMachineInstanceFileSystem,
  VirtualMachineInstanceGuestOSUser,
} from '@vireo/api/kinds/kubevirt/guestAgent.ts';
import { GuestInfoTypes, type TypedParameters } from '@vireo/libvirt';
import type { NodeContext } from '../context.ts';
import { operatingSystem } from '../vmi/guestInfo.ts';
import type { Active } from './actions.ts';

const API_VERSION = 'subresources.kubevirt.io/v1';

/** The operating system of the guest, who is there, and what is mounted. */
export async function guestOsInfo(local: Active, { libvirt }: NodeContext): Promise<object> {
  const { USERS, OS, TIMEZONE, HOSTNAME, FILESYSTEM } = GuestInfoTypes;
  const ref = local.domain.ref;
  const info = await libvirt.long.guestInfo(ref, USERS | OS | TIMEZONE | HOSTNAME | FILESYSTEM);
  const agent = JSON.parse((await libvirt.long.agentCommand(ref, '{"execute":"guest-info"}')) ?? '{}') as AgentInfo;
  return {
    apiVersion: API_VERSION,
    kind: 'VirtualMachineInstanceGuestAgentInfo',
    guestAgentVersion: agent.return?.version ?? '',
    supportedCommands: (agent.return?.supported_commands ?? []).map(({ name, enabled }) => ({ name, enabled })),
    hostname: String(info.get('hostname') ?? ''),
    os: operatingSystem(info),
    timezone: String(info.get('timezone.name') ?? ''),
    userList: users(info),
    fsInfo: { disks: filesystems(info) },
    fsFreezeStatus: local.cache.isFrozen ? 'frozen' : 'thawed',
  };
}

interface AgentInfo {
  readonly return?: {
    readonly version: string;
    readonly supported_commands: readonly { readonly name: string; readonly enabled: boolean }[];
  };
}

export async function userList({ domain }: Active, { libvirt }: NodeContext): Promise<object> {
  const info = await libvirt.long.guestInfo(domain.ref, GuestInfoTypes.USERS);
  const kind = 'VirtualMachineInstanceGuestOSUserList';
  return { apiVersion: API_VERSION, kind, metadata: {}, items: users(info) };
}

export async function filesystemList({ domain }: Active, { libvirt }: NodeContext): Promise<object> {
  const info = await libvirt.long.guestInfo(domain.ref, GuestInfoTypes.FILESYSTEM);
  const kind = 'VirtualMachineInstanceFileSystemList';
  return { apiVersion: API_VERSION, kind, metadata: {}, items: filesystems(info) };
}

/** The entries of a list in libvirt's flat form: `user.count`, `user.0.name`, … */
function entries(info: TypedParameters, prefix: string): string[] {
  return Array.from({ length: info.number(`${prefix}.count`) ?? 0 }, (_, index) => `${prefix}.${index}`);
}

export const users = (info: TypedParameters): VirtualMachineInstanceGuestOSUser[] =>
  entries(info, 'user').map((entry) => {
    const domain = info.get(`${entry}.domain`);
    return {
      userName: String(info.get(`${entry}.name`) ?? ''),
      ...(domain !== undefined && { domain: String(domain) }),
      loginTime: (info.number(`${entry}.login-time`) ?? 0) / 1000,
    };
  });

export const filesystems = (info: TypedParameters): VirtualMachineInstanceFileSystem[] =>
  entries(info, 'fs').map((entry) => ({
    diskName: String(info.get(`${entry}.name`) ?? ''),
    mountPoint: String(info.get(`${entry}.mountpoint`) ?? ''),
    fileSystemType: String(info.get(`${entry}.fstype`) ?? ''),
    totalBytes: info.number(`${entry}.total-bytes`) ?? 0,
    usedBytes: info.number(`${entry}.used-bytes`) ?? 0,
    disk: entries(info, `${entry}.disk`).map((disk) => ({
      busType: String(info.get(`${disk}.bus`) ?? ''),
      ...(info.get(`${disk}.serial`) !== undefined && { serial: String(info.get(`${disk}.serial`)) }),
    })),
  }));
