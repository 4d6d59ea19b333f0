import type { VirtualMachineInstanceGuestOSInfo } from '@vireo/api/kinds/kubevirt/guestAgent.ts';
import {
  type Calls,
  CallTimeoutError,
  ConnectionError,
  type DomainRef,
  GuestInfoTypes,
  LibvirtError,
  type TypedParameters,
} from '@vireo/libvirt';
import type { GuestInterface } from './networks.ts';

/** What the guest's agent tells of itself. */
export interface GuestInfo {
  readonly os: VirtualMachineInstanceGuestOSInfo;
  readonly interfaces: readonly GuestInterface[];
}

const TIMEOUT_MS = 10_000;

/** Asks the agent; undefined when it does not answer, as one that is just going down. */
export async function readGuestInfo(calls: Calls, domain: DomainRef): Promise<GuestInfo | undefined> {
  const options = { timeoutMs: TIMEOUT_MS };
  try {
    const info = await calls.guestInfo(domain, GuestInfoTypes.OS, options);
    const interfaces = await calls.interfaceAddresses(domain, 'agent', options);
    return {
      os: operatingSystem(info),
      interfaces: interfaces
        .filter(({ name }) => name !== 'lo')
        .map(({ name, hardwareAddress = '', addresses }) => ({
          name,
          mac: hardwareAddress,
          addresses: addresses.map(({ address }) => address),
        })),
    };
  } catch (error) {
    if (error instanceof LibvirtError || error instanceof ConnectionError || error instanceof CallTimeoutError)
      return undefined;
    throw error;
  }
}

const OS_FIELDS = {
  id: 'os.id',
  name: 'os.name',
  prettyName: 'os.pretty-name',
  version: 'os.version',
  versionId: 'os.version-id',
  machine: 'os.machine',
  kernelRelease: 'os.kernel-release',
  kernelVersion: 'os.kernel-version',
} as const satisfies Partial<Record<keyof VirtualMachineInstanceGuestOSInfo, string>>;

/** The operating system in KubeVirt's words. */
export function operatingSystem(info: TypedParameters): VirtualMachineInstanceGuestOSInfo {
  const known = Object.entries(OS_FIELDS).flatMap(([field, parameter]) => {
    const value = info.get(parameter);
    return value === undefined ? [] : [[field, String(value)]];
  });
  return Object.fromEntries(known);
}
