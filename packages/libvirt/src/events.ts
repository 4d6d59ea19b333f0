import {
  array,
  type Codec,
  hyper,
  int,
  mapped,
  optional,
  quantity,
  string,
  struct,
  uint,
  type ValueOf,
} from './codec.ts';
import * as names from './names.ts';
import { typedParameters } from './typedParameters.ts';
import { type DomainRef, domain } from './types.ts';
import type { XdrReader } from './xdr.ts';

/** A kind of event: the id that is asked for, the procedure number of its messages, what they say. */
interface EventKind<Payload> {
  readonly id: number;
  readonly procedure: number;
  readonly payload: Codec<Payload>;
}

const event = <Payload>(id: number, procedure: number, payload: Codec<Payload>): EventKind<Payload> => ({
  id,
  procedure,
  payload,
});

/** A number on the wire, a word in the payload. Events are only ever received. */
const named = <const N extends string>(list: readonly N[]): Codec<N | 'unknown'> =>
  mapped(
    int,
    (number) => names.nameOf(list, number),
    (name) => list.indexOf(name as N),
  );

const lifecycle: Codec<{ domain: DomainRef; event: names.LifecycleEventName; detail: string }> = mapped(
  struct({ domain, event: int, detail: int }),
  (wire) => {
    const name = names.nameOf(names.lifecycleEvents, wire.event);
    return { domain: wire.domain, event: name, detail: names.nameOf(names.lifecycleDetails[name], wire.detail) };
  },
  ({ domain, event, detail }) => ({
    domain,
    event: names.lifecycleEvents.indexOf(event as (typeof names.lifecycleEvents)[number]),
    detail: names.lifecycleDetails[event].indexOf(detail),
  }),
);

const device = struct({ domain, alias: string });
const powerManagement = struct({ reason: int, domain });
const graphicsAddress = struct({ family: named(names.addressFamilies), node: string, service: string });
const blockJob = struct({
  domain,
  disk: string,
  type: named(names.blockJobTypes),
  status: named(names.blockJobStatuses),
});

/** The events of domains. `blockJob` names disks by their file, `blockJob2` by their target (`vda`). */
export const domainEvents = {
  lifecycle: event(0, 318, lifecycle),
  reboot: event(1, 319, struct({ domain })),
  rtcChange: event(2, 320, struct({ domain, offsetSeconds: hyper })),
  watchdog: event(3, 321, struct({ domain, action: named(names.watchdogActions) })),
  ioError: event(4, 322, struct({ domain, sourcePath: string, alias: string, action: named(names.ioErrorActions) })),
  graphics: event(
    5,
    323,
    struct({
      domain,
      phase: named(names.graphicsPhases),
      local: graphicsAddress,
      remote: graphicsAddress,
      authenticationScheme: string,
      subject: array(struct({ type: string, name: string }), 20),
    }),
  ),
  ioErrorReason: event(
    6,
    324,
    struct({ domain, sourcePath: string, alias: string, action: named(names.ioErrorActions), reason: string }),
  ),
  controlError: event(7, 325, struct({ domain })),
  blockJob: event(8, 326, blockJob),
  diskChange: event(
    9,
    327,
    struct({
      domain,
      oldSourcePath: optional(string),
      newSourcePath: optional(string),
      alias: string,
      reason: named(names.diskChangeReasons),
    }),
  ),
  trayChange: event(10, 328, struct({ domain, alias: string, tray: named(names.trayPositions) })),
  pmWakeup: event(11, 329, powerManagement),
  pmSuspend: event(12, 330, powerManagement),
  balloonChange: event(13, 331, struct({ domain, actualKiB: quantity })),
  pmSuspendDisk: event(14, 332, powerManagement),
  deviceRemoved: event(15, 333, device),
  blockJob2: event(16, 339, blockJob),
  tunable: event(17, 346, struct({ domain, parameters: typedParameters(2048) })),
  agentLifecycle: event(
    18,
    348,
    struct({ domain, state: named(names.agentStates), reason: named(names.agentReasons) }),
  ),
  deviceAdded: event(19, 354, device),
  migrationIteration: event(20, 359, struct({ domain, iteration: int })),
  jobCompleted: event(21, 363, struct({ domain, parameters: typedParameters(64) })),
  deviceRemovalFailed: event(22, 367, device),
  metadataChange: event(23, 379, struct({ domain, type: named(names.metadataTypes), namespace: optional(string) })),
  blockThreshold: event(
    24,
    385,
    struct({
      domain,
      disk: string,
      path: optional(string),
      thresholdBytes: quantity,
      excessBytes: quantity,
    }),
  ),
  memoryFailure: event(
    25,
    423,
    struct({
      domain,
      recipient: named(names.memoryFailureRecipients),
      action: named(names.memoryFailureActions),
      flags: uint,
    }),
  ),
  memoryDeviceSizeChange: event(26, 438, struct({ domain, alias: string, sizeKiB: quantity })),
} as const;

export type DomainEventName = keyof typeof domainEvents;

/** What the handler of an event gets: `DomainEventPayload<'lifecycle'>`. */
export type DomainEventPayload<Name extends DomainEventName> = ValueOf<(typeof domainEvents)[Name]['payload']>;

const kindsByProcedure = new Map(
  (Object.keys(domainEvents) as DomainEventName[]).map((name) => [
    domainEvents[name].procedure,
    domainEvents[name] as EventKind<unknown>,
  ]),
);

/** Reads an event message; undefined when it is of a kind that this library does not know. */
export function readEvent(procedure: number, reader: XdrReader): { callback: number; payload: unknown } | undefined {
  const kind = kindsByProcedure.get(procedure);
  if (!kind) return undefined;
  const message = { callback: reader.int(), payload: kind.payload.read(reader) };
  reader.finish();
  return message;
}
