import type { Caller, CallOptions } from '../caller.ts';
import { flag, int, mapped, nothing, optional, quantity, string, struct, uhyper, uint } from '../codec.ts';
import { type DomainStateName, domainStates, nameOf, stateReasons } from '../names.ts';
import { procedure } from '../protocol.ts';
import { type DomainRef, domain, domains, uuidOnly } from '../types.ts';

/** The state of a domain and why it is in it: `{ state: 'paused', reason: 'io-error' }`. */
export interface DomainState {
  readonly state: DomainStateName;
  readonly reason: string;
}

const one = struct({ domain });
const xmlAndFlags = struct({ xml: string, flags: uint });
const domainAndFlags = struct({ domain, flags: uint });
const domainOnly = struct({ domain });

const listAll = procedure(
  'connectListAllDomains',
  struct({ needResults: int, flags: uint }),
  struct({ domains, count: uint }),
);
const lookupByName = procedure('domainLookupByName', struct({ name: string }), one);
const lookupByUuid = procedure('domainLookupByUuid', uuidOnly, one);
const lookupById = procedure('domainLookupById', struct({ id: int }), one);
const createXml = procedure('domainCreateXml', xmlAndFlags, one);
const defineXml = procedure('domainDefineXmlFlags', xmlAndFlags, one);
const createWithFlags = procedure('domainCreateWithFlags', domainAndFlags, one);
const undefine = procedure('domainUndefineFlags', domainAndFlags, nothing);
const destroy = procedure('domainDestroyFlags', domainAndFlags, nothing);
const shutdown = procedure('domainShutdownFlags', domainAndFlags, nothing);
const reboot = procedure('domainReboot', domainAndFlags, nothing);
const reset = procedure('domainReset', domainAndFlags, nothing);
const suspend = procedure('domainSuspend', domainOnly, nothing);
const resume = procedure('domainResume', domainOnly, nothing);
const injectNmi = procedure('domainInjectNmi', domainAndFlags, nothing);
const pmSuspend = procedure(
  'domainPmSuspendForDuration',
  struct({ domain, target: uint, seconds: quantity, flags: uint }),
  nothing,
);
const pmWakeup = procedure('domainPmWakeup', domainAndFlags, nothing);
const getState = procedure('domainGetState', domainAndFlags, struct({ state: int, reason: int }));
const getInfo = procedure(
  'domainGetInfo',
  domainOnly,
  struct({
    state: mapped(
      int,
      (number) => nameOf(domainStates, number),
      (name) => domainStates.indexOf(name as (typeof domainStates)[number]),
    ),
    maxMemoryKiB: quantity,
    memoryKiB: quantity,
    vcpus: uint,
    cpuTimeNs: uhyper,
  }),
);
const getXml = procedure('domainGetXmlDesc', domainAndFlags, struct({ xml: string }));
const isActive = procedure('domainIsActive', domainOnly, struct({ active: flag }));
const isPersistent = procedure('domainIsPersistent', domainOnly, struct({ persistent: flag }));
const setAutostart = procedure('domainSetAutostart', struct({ domain, autostart: flag }), nothing);
const rename = procedure(
  'domainRename',
  struct({ domain, name: optional(string), flags: uint }),
  struct({ result: int }),
);

/** Calls that find domains, bring them up and take them down. Flags: see `flags.ts`. */
export const lifecycleCalls = (caller: Caller) => ({
  listDomains: async (flags = 0, options?: CallOptions): Promise<DomainRef[]> =>
    (await caller.call(listAll, { needResults: 1, flags }, options)).domains,

  /** Fails with `NO_DOMAIN` when there is none. */
  domainByName: async (name: string, options?: CallOptions): Promise<DomainRef> =>
    (await caller.call(lookupByName, { name }, options)).domain,

  domainByUuid: async (uuid: string, options?: CallOptions): Promise<DomainRef> =>
    (await caller.call(lookupByUuid, { uuid }, options)).domain,

  /** Only running domains have an id. */
  domainById: async (id: number, options?: CallOptions): Promise<DomainRef> =>
    (await caller.call(lookupById, { id }, options)).domain,

  /** Defines a domain, or changes its definition. */
  defineDomain: async (xml: string, flags = 0, options?: CallOptions): Promise<DomainRef> =>
    (await caller.call(defineXml, { xml, flags }, options)).domain,

  /** Starts a domain that is not defined: it is gone once it stops. */
  createDomain: async (xml: string, flags = 0, options?: CallOptions): Promise<DomainRef> =>
    (await caller.call(createXml, { xml, flags }, options)).domain,

  /** Starts a defined domain. */
  startDomain: async (domain: DomainRef, flags = 0, options?: CallOptions): Promise<DomainRef> =>
    (await caller.call(createWithFlags, { domain, flags }, options)).domain,

  undefineDomain: (domain: DomainRef, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(undefine, { domain, flags }, options),

  /** Ends the domain as by pulling the plug. */
  destroyDomain: (domain: DomainRef, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(destroy, { domain, flags }, options),

  /** Asks the guest to shut down; a `lifecycle` event tells when it has. */
  shutdownDomain: (domain: DomainRef, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(shutdown, { domain, flags }, options),

  /** Asks the guest to reboot. */
  rebootDomain: (domain: DomainRef, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(reboot, { domain, flags }, options),

  /** Resets the domain as by its reset button. */
  resetDomain: (domain: DomainRef, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(reset, { domain, flags }, options),

  /** Stops the virtual CPUs. */
  suspendDomain: (domain: DomainRef, options?: CallOptions): Promise<void> => caller.call(suspend, { domain }, options),

  resumeDomain: (domain: DomainRef, options?: CallOptions): Promise<void> => caller.call(resume, { domain }, options),

  injectNmi: (domain: DomainRef, options?: CallOptions): Promise<void> =>
    caller.call(injectNmi, { domain, flags: 0 }, options),

  /** Asks the guest agent to put the guest to sleep. */
  pmSuspend: (domain: DomainRef, target: 'memory' | 'disk' | 'hybrid', options?: CallOptions): Promise<void> => {
    const number = ['memory', 'disk', 'hybrid'].indexOf(target);
    return caller.call(pmSuspend, { domain, target: number, seconds: 0, flags: 0 }, options);
  },

  pmWakeup: (domain: DomainRef, options?: CallOptions): Promise<void> =>
    caller.call(pmWakeup, { domain, flags: 0 }, options),

  domainState: async (domain: DomainRef, options?: CallOptions): Promise<DomainState> => {
    const wire = await caller.call(getState, { domain, flags: 0 }, options);
    const state = nameOf(domainStates, wire.state);
    return { state, reason: nameOf(stateReasons[state], wire.reason) };
  },

  domainInfo: (domain: DomainRef, options?: CallOptions) => caller.call(getInfo, { domain }, options),

  domainXml: async (domain: DomainRef, flags = 0, options?: CallOptions): Promise<string> =>
    (await caller.call(getXml, { domain, flags }, options)).xml,

  isActive: async (domain: DomainRef, options?: CallOptions): Promise<boolean> =>
    (await caller.call(isActive, { domain }, options)).active,

  isPersistent: async (domain: DomainRef, options?: CallOptions): Promise<boolean> =>
    (await caller.call(isPersistent, { domain }, options)).persistent,

  setAutostart: (domain: DomainRef, autostart: boolean, options?: CallOptions): Promise<void> =>
    caller.call(setAutostart, { domain, autostart }, options),

  /** Renames a domain that does not run. */
  renameDomain: async (domain: DomainRef, name: string, options?: CallOptions): Promise<void> => {
    await caller.call(rename, { domain, name, flags: 0 }, options);
  },
});
