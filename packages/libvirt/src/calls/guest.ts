import type { Caller, CallOptions } from '../caller.ts';
import { array, hyper, int, nothing, optional, quantity, string, struct, uint } from '../codec.ts';
import { addressFamilies, nameOf } from '../names.ts';
import { procedure } from '../protocol.ts';
import { type TypedParameters, typedParameters } from '../typedParameters.ts';
import { type DomainRef, domain } from '../types.ts';

const domainAndFlags = struct({ domain, flags: uint });
const mountPoints = struct({ domain, mountPoints: array(string, 256), flags: uint });

const agentCommand = procedure(
  'qemuAgentCommand',
  struct({ domain, command: string, timeout: int, flags: uint }),
  struct({ result: optional(string) }),
);
const monitorCommand = procedure(
  'qemuMonitorCommand',
  struct({ domain, command: string, flags: uint }),
  struct({ result: string }),
);
const setAgentTimeout = procedure(
  'domainAgentSetResponseTimeout',
  struct({ domain, seconds: int, flags: uint }),
  struct({ result: int }),
);
const interfaceAddresses = procedure(
  'domainInterfaceAddresses',
  struct({ domain, source: uint, flags: uint }),
  struct({
    interfaces: array(
      struct({
        name: string,
        hardwareAddress: optional(string),
        addresses: array(struct({ family: int, address: string, prefix: uint }), 2048),
      }),
      2048,
    ),
  }),
);
const guestInfo = procedure(
  'domainGetGuestInfo',
  struct({ domain, types: uint, flags: uint }),
  struct({ parameters: typedParameters(2048) }),
);
const fsInfo = procedure(
  'domainGetFsInfo',
  domainAndFlags,
  struct({
    filesystems: array(struct({ mountPoint: string, name: string, type: string, disks: array(string, 256) }), 256),
    count: uint,
  }),
);
const fsFreeze = procedure('domainFsFreeze', mountPoints, struct({ count: int }));
const fsThaw = procedure('domainFsThaw', mountPoints, struct({ count: int }));
const fsTrim = procedure(
  'domainFsTrim',
  struct({ domain, mountPoint: optional(string), minimumBytes: quantity, flags: uint }),
  nothing,
);
const getHostname = procedure('domainGetHostname', domainAndFlags, struct({ hostname: string }));
const getTime = procedure('domainGetTime', domainAndFlags, struct({ seconds: hyper, nanoseconds: uint }));
const setTime = procedure('domainSetTime', struct({ domain, seconds: hyper, nanoseconds: uint, flags: uint }), nothing);
const setPassword = procedure(
  'domainSetUserPassword',
  struct({ domain, user: optional(string), password: optional(string), flags: uint }),
  nothing,
);
const getSshKeys = procedure(
  'domainAuthorizedSshKeysGet',
  struct({ domain, user: string, flags: uint }),
  struct({ keys: array(string, 2048) }),
);
const setSshKeys = procedure(
  'domainAuthorizedSshKeysSet',
  struct({ domain, user: string, keys: array(string, 2048), flags: uint }),
  nothing,
);

/** Where addresses are taken from: leases of libvirt's own networks, the guest agent, the host's ARP table. */
const addressSources = ['lease', 'agent', 'arp'] as const;

export interface GuestInterface {
  readonly name: string;
  readonly hardwareAddress: string | undefined;
  readonly addresses: readonly { family: string; address: string; prefix: number }[];
}

/** Calls that the guest answers, most of them by its agent: without one they fail with `AGENT_UNRESPONSIVE`. */
export const guestCalls = (caller: Caller) => ({
  /**
   * Sends the agent a command as JSON text and returns its answer. `timeoutSeconds`: how long libvirt waits for the
   * agent; -2 as long as it takes, -1 its default of 5, 0 not at all.
   */
  agentCommand: async (
    domain: DomainRef,
    command: string,
    timeoutSeconds = -1,
    options?: CallOptions,
  ): Promise<string | undefined> => {
    const asked = { domain, command, timeout: timeoutSeconds, flags: 0 };
    return (await caller.call(agentCommand, asked, options)).result;
  },

  /** Asks QEMU itself, by a command of its monitor as JSON text, for what libvirt has no call for. */
  monitorCommand: async (domain: DomainRef, command: string, options?: CallOptions): Promise<string> =>
    (await caller.call(monitorCommand, { domain, command, flags: 0 }, options)).result,

  /** How long libvirt waits for the agent in calls of its own. */
  setAgentTimeout: async (domain: DomainRef, seconds: number, options?: CallOptions): Promise<void> => {
    await caller.call(setAgentTimeout, { domain, seconds, flags: 0 }, options);
  },

  interfaceAddresses: async (
    domain: DomainRef,
    source: (typeof addressSources)[number],
    options?: CallOptions,
  ): Promise<GuestInterface[]> => {
    const asked = { domain, source: addressSources.indexOf(source), flags: 0 };
    const { interfaces } = await caller.call(interfaceAddresses, asked, options);
    return interfaces.map(({ addresses, ...rest }) => ({
      ...rest,
      addresses: addresses.map((one) => ({ ...one, family: nameOf(addressFamilies, one.family) })),
    }));
  },

  /** Facts by name, such as `os.pretty-name` and `user.0.name`; `types` from `GuestInfoTypes`, 0 for all known. */
  guestInfo: async (domain: DomainRef, types = 0, options?: CallOptions): Promise<TypedParameters> =>
    (await caller.call(guestInfo, { domain, types, flags: 0 }, options)).parameters,

  filesystems: async (domain: DomainRef, options?: CallOptions) =>
    (await caller.call(fsInfo, { domain, flags: 0 }, options)).filesystems,

  /** Freezes filesystems, all when none is named; resolves with their number. */
  freezeFilesystems: async (domain: DomainRef, mountPoints: string[] = [], options?: CallOptions): Promise<number> =>
    (await caller.call(fsFreeze, { domain, mountPoints, flags: 0 }, options)).count,

  thawFilesystems: async (domain: DomainRef, mountPoints: string[] = [], options?: CallOptions): Promise<number> =>
    (await caller.call(fsThaw, { domain, mountPoints, flags: 0 }, options)).count,

  trimFilesystems: (domain: DomainRef, minimumBytes = 0, options?: CallOptions): Promise<void> =>
    caller.call(fsTrim, { domain, mountPoint: undefined, minimumBytes, flags: 0 }, options),

  guestHostname: async (domain: DomainRef, source: 'lease' | 'agent', options?: CallOptions): Promise<string> =>
    (await caller.call(getHostname, { domain, flags: source === 'lease' ? 1 : 2 }, options)).hostname,

  /** The guest's clock, in milliseconds as `Date` takes them. */
  guestTime: async (domain: DomainRef, options?: CallOptions): Promise<number> => {
    const { seconds, nanoseconds } = await caller.call(getTime, { domain, flags: 0 }, options);
    return Number(seconds) * 1000 + nanoseconds / 1e6;
  },

  setGuestTime: (domain: DomainRef, timeMs: number, options?: CallOptions): Promise<void> => {
    const seconds = Math.floor(timeMs / 1000);
    const nanoseconds = Math.round((timeMs - seconds * 1000) * 1e6);
    return caller.call(setTime, { domain, seconds: BigInt(seconds), nanoseconds, flags: 0 }, options);
  },

  setUserPassword: (
    domain: DomainRef,
    user: string,
    password: string,
    flags = 0,
    options?: CallOptions,
  ): Promise<void> => caller.call(setPassword, { domain, user, password, flags }, options),

  authorizedSshKeys: async (domain: DomainRef, user: string, options?: CallOptions): Promise<string[]> =>
    (await caller.call(getSshKeys, { domain, user, flags: 0 }, options)).keys,

  setAuthorizedSshKeys: (
    domain: DomainRef,
    user: string,
    keys: string[],
    flags = 0,
    options?: CallOptions,
  ): Promise<void> => caller.call(setSshKeys, { domain, user, keys, flags }, options),
});
