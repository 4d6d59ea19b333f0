import type { Caller, CallOptions } from '../caller.ts';
import { flag, int, nothing, opaque, optional, quantity, string, struct, uint } from '../codec.ts';
import { jobTypes, nameOf } from '../names.ts';
import { procedure } from '../protocol.ts';
import { type TypedParameter, type TypedParameters, typedParameterList, typedParameters } from '../typedParameters.ts';
import { type DomainRef, domain } from '../types.ts';

/** What one side of a migration tells the other through us; opaque. */
const cookie = opaque(4 * 1024 * 1024);
const parameters = typedParameterList(64);
const domainAndFlags = struct({ domain, flags: uint });

const begin = procedure(
  'domainMigrateBegin3Params',
  struct({ domain, parameters, flags: uint }),
  struct({ cookie, xml: string }),
);
const prepare = procedure(
  'domainMigratePrepare3Params',
  struct({ parameters, cookie, flags: uint }),
  struct({ cookie, uri: optional(string) }),
);
const perform = procedure(
  'domainMigratePerform3Params',
  struct({ domain, destinationUri: optional(string), parameters, cookie, flags: uint }),
  struct({ cookie }),
);
const finish = procedure(
  'domainMigrateFinish3Params',
  struct({ parameters, cookie, flags: uint, cancelled: flag }),
  struct({ domain, cookie }),
);
const confirm = procedure(
  'domainMigrateConfirm3Params',
  struct({ domain, parameters, cookie, flags: uint, cancelled: flag }),
  nothing,
);
const startPostCopy = procedure('domainMigrateStartPostCopy', domainAndFlags, nothing);
const setMaxDowntime = procedure(
  'domainMigrateSetMaxDowntime',
  struct({ domain, milliseconds: quantity, flags: uint }),
  nothing,
);
const setMaxSpeed = procedure(
  'domainMigrateSetMaxSpeed',
  struct({ domain, mibPerSecond: quantity, flags: uint }),
  nothing,
);
const jobStats = procedure('domainGetJobStats', domainAndFlags, struct({ type: int, parameters: typedParameters(64) }));
const abortJob = procedure('domainAbortJob', struct({ domain }), nothing);
const controlInfo = procedure(
  'domainGetControlInfo',
  domainAndFlags,
  struct({ state: uint, details: uint, milliseconds: quantity }),
);

const none = Buffer.alloc(0);

/** Calls that move a running domain, and those about jobs. A migration is long: use `client.long`. */
export const migrationCalls = (caller: Caller) => ({
  /**
   * Moves a domain, driven by the source daemon, which connects to `destinationUri` itself. Parameters such as
   * `migrate_uri` and `destination_xml` are libvirt's (`typed.string('migrate_uri', …)`). Resolves once it has moved.
   */
  migratePeerToPeer: async (
    domain: DomainRef,
    destinationUri: string,
    parameters: readonly TypedParameter[],
    flags: number,
    options?: CallOptions,
  ): Promise<void> => {
    const asked = { domain, destinationUri, parameters, cookie: none, flags: flags | peerToPeer };
    await caller.call(perform, asked, options);
  },

  /** First of the five steps of a migration that we drive: on the source. */
  migrateBegin: (domain: DomainRef, parameters: readonly TypedParameter[], flags: number, options?: CallOptions) =>
    caller.call(begin, { domain, parameters, flags }, options),

  /** Second step, on the destination; needs the domain's XML as `destination_xml`. */
  migratePrepare: (parameters: readonly TypedParameter[], cookie: Buffer, flags: number, options?: CallOptions) =>
    caller.call(prepare, { parameters, cookie, flags }, options),

  /** Third step, on the source, to the URI of the second as `migrate_uri`; resolves when all memory has been sent. */
  migratePerform: async (
    domain: DomainRef,
    parameters: readonly TypedParameter[],
    cookie: Buffer,
    flags: number,
    options?: CallOptions,
  ): Promise<{ cookie: Buffer }> => {
    // libvirtd 9.0 takes it for granted, and dies of its absence.
    if (!parameters.some(({ name }) => name === 'migrate_uri')) {
      throw new TypeError(`the migration of ${domain.name} has no parameter migrate_uri`);
    }
    return caller.call(perform, { domain, destinationUri: undefined, parameters, cookie, flags }, options);
  },

  /** Fourth step, on the destination, with `destination_name`: the domain runs there now, or not (`cancelled`). */
  migrateFinish: (
    parameters: readonly TypedParameter[],
    cookie: Buffer,
    flags: number,
    cancelled: boolean,
    options?: CallOptions,
  ) => caller.call(finish, { parameters, cookie, flags, cancelled }, options),

  /** Last step, on the source: the domain is ended there, or goes on (`cancelled`). */
  migrateConfirm: (
    domain: DomainRef,
    parameters: readonly TypedParameter[],
    cookie: Buffer,
    flags: number,
    cancelled: boolean,
    options?: CallOptions,
  ): Promise<void> => caller.call(confirm, { domain, parameters, cookie, flags, cancelled }, options),

  /** Switches a migration with `MigrateFlags.POSTCOPY` over to the destination. */
  startPostCopy: (domain: DomainRef, options?: CallOptions): Promise<void> =>
    caller.call(startPostCopy, { domain, flags: 0 }, options),

  setMigrationMaxDowntime: (domain: DomainRef, milliseconds: number, options?: CallOptions): Promise<void> =>
    caller.call(setMaxDowntime, { domain, milliseconds, flags: 0 }, options),

  setMigrationMaxSpeed: (domain: DomainRef, mibPerSecond: number, options?: CallOptions): Promise<void> =>
    caller.call(setMaxSpeed, { domain, mibPerSecond, flags: 0 }, options),

  /** How far the domain's job is; with `JobStatsFlags.COMPLETED`, how the last one went. */
  jobStats: async (
    domain: DomainRef,
    flags = 0,
    options?: CallOptions,
  ): Promise<{ type: string; parameters: TypedParameters }> => {
    const { type, parameters } = await caller.call(jobStats, { domain, flags }, options);
    return { type: nameOf(jobTypes, type), parameters };
  },

  /** Cancels the domain's job, such as a migration. */
  abortJob: (domain: DomainRef, options?: CallOptions): Promise<void> => caller.call(abortJob, { domain }, options),

  /** Whether the domain can be controlled now: `ok`, or busy with a `job`, or `occupied`, or in `error`. */
  controlInfo: async (domain: DomainRef, options?: CallOptions): Promise<{ state: string; milliseconds: number }> => {
    const { state, milliseconds } = await caller.call(controlInfo, { domain, flags: 0 }, options);
    return { state: nameOf(['ok', 'job', 'occupied', 'error'], state), milliseconds };
  },
});

/** Without this flag the daemon would expect us to drive. */
const peerToPeer = 2;
