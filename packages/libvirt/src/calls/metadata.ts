import type { Caller, CallOptions } from '../caller.ts';
import { array, int, nothing, optional, string, struct, uint } from '../codec.ts';
import { procedure } from '../protocol.ts';
import { type TypedParameters, typedParameters } from '../typedParameters.ts';
import { type DomainRef, domain } from '../types.ts';

const set = procedure(
  'domainSetMetadata',
  struct({
    domain,
    type: int,
    metadata: optional(string),
    key: optional(string),
    uri: optional(string),
    flags: uint,
  }),
  nothing,
);
const get = procedure(
  'domainGetMetadata',
  struct({ domain, type: int, uri: optional(string), flags: uint }),
  struct({ metadata: string }),
);
const messages = procedure(
  'domainGetMessages',
  struct({ domain, flags: uint }),
  struct({ messages: array(string, 2048) }),
);
const launchSecurity = procedure(
  'domainGetLaunchSecurityInfo',
  struct({ domain, flags: uint }),
  struct({ parameters: typedParameters(64) }),
);
const monitorCommand = procedure(
  'qemuMonitorCommand',
  struct({ domain, command: string, flags: uint }),
  struct({ result: string }),
);

/** Metadata is of three types on the wire; an element has a namespace. */
const types = { description: 0, title: 1, element: 2 } as const;

/** Calls about what is attached to a domain as notes, and what its emulator can tell. */
export const metadataCalls = (caller: Caller) => ({
  /** Sets an XML element below `<metadata>`, found again by its namespace; without `xml`, removes it. */
  setMetadata: (
    domain: DomainRef,
    element: { namespace: string; prefix: string; xml?: string },
    flags = 0,
    options?: CallOptions,
  ): Promise<void> => {
    const { namespace: uri, prefix: key, xml: metadata } = element;
    return caller.call(set, { domain, type: types.element, metadata, key, uri, flags }, options);
  },

  /** The XML element of a namespace; fails with `NO_DOMAIN_METADATA` when there is none. */
  metadata: async (domain: DomainRef, namespace: string, flags = 0, options?: CallOptions): Promise<string> =>
    (await caller.call(get, { domain, type: types.element, uri: namespace, flags }, options)).metadata,

  setTitle: (domain: DomainRef, title: string | undefined, flags = 0, options?: CallOptions): Promise<void> => {
    const text = { type: types.title, metadata: title, key: undefined, uri: undefined };
    return caller.call(set, { domain, ...text, flags }, options);
  },

  title: async (domain: DomainRef, flags = 0, options?: CallOptions): Promise<string> =>
    (await caller.call(get, { domain, type: types.title, uri: undefined, flags }, options)).metadata,

  /** Things worth knowing, such as that the domain is tainted. */
  domainMessages: async (domain: DomainRef, options?: CallOptions): Promise<string[]> =>
    (await caller.call(messages, { domain, flags: 0 }, options)).messages,

  launchSecurityInfo: async (domain: DomainRef, options?: CallOptions): Promise<TypedParameters> =>
    (await caller.call(launchSecurity, { domain, flags: 0 }, options)).parameters,

  /** A command to QEMU's own monitor, as JSON text or, with `human`, in its shell's words. */
  qemuMonitorCommand: async (
    domain: DomainRef,
    command: string,
    { human = false }: { human?: boolean } = {},
    options?: CallOptions,
  ): Promise<string> => (await caller.call(monitorCommand, { domain, command, flags: human ? 1 : 0 }, options)).result,
});
