import { forbidden } from '@vireo/api';
import type { TestServer } from '@vireo/apiserver/testing/server.ts';
import {
  type ApiCall,
  Client,
  type Clock,
  EventRecorder,
  Informers,
  systemClock,
  type Transport,
  type WatchEvent,
} from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { startPoolController } from '../pool/index.ts';
import { startReplicaSetController } from '../replicaset/index.ts';

/** What goes wrong between the controller and the server, and what went through. */
export interface Faults {
  refuseCreates: boolean;
  refuseDeletes: boolean;
  /** How many writes more get through before the controller is dead; `onDeath` is called then. */
  writesToLive: number;
  onDeath(): void;
  /** VMIs, or VMs of a pool, that were really created, and deleted. */
  created: number;
  deleted: number;
}

export const noFaults = (): Faults => ({
  refuseCreates: false,
  refuseDeletes: false,
  writesToLive: Number.POSITIVE_INFINITY,
  onDeath: () => {},
  created: 0,
  deleted: 0,
});

const LAG_MS = 2;

/** Minutes of waiting pass in seconds. */
const HASTE = 20;
const hurriedClock: Clock = {
  now: () => systemClock.now() * HASTE,
  after: (ms, run) => systemClock.after(ms / HASTE, run),
};

/** A controller, and what it makes. */
const CONTROLLERS = {
  replicaSets: { start: startReplicaSetController, makes: 'virtualmachineinstances' },
  pools: { start: startPoolController, makes: 'virtualmachines' },
} as const;

/** The controller of sets alone, on a real server; the result ends it. Nothing runs the VMIs or VMs that it makes. */
export async function startSetController(
  server: TestServer,
  faults: Faults,
  of: keyof typeof CONTROLLERS = 'replicaSets',
): Promise<() => Promise<void>> {
  const { start, makes } = CONTROLLERS[of];
  const client = new Client(faulty(server.inProcess(), faults, makes));
  const stop = new AbortController();
  const log = memoryLog();
  const clock = hurriedClock;
  const informers = new Informers(client, { log });
  const recorder = new EventRecorder(client, { component: 'test', log });
  const ended = start({ client, informers, recorder, log, clock }, stop.signal);
  informers.start(stop.signal);
  await informers.whenSynced();
  return async () => {
    stop.abort();
    recorder.close();
    await ended;
  };
}

/** News of what it makes come late, as from a busy server: whoever counts them too early counts too few. */
async function* late(events: AsyncIterable<WatchEvent>): AsyncGenerator<WatchEvent> {
  for await (const event of events) {
    await new Promise((resolve) => setTimeout(resolve, LAG_MS));
    yield event;
  }
}

function faulty(transport: Transport, faults: Faults, makes: string): Transport {
  const resource = { group: 'kubevirt.io', resource: makes };
  const call = async (request: ApiCall) => {
    const { method, path } = request;
    const isMade = path.includes(`/${makes}`);
    if (method !== 'GET' && faults.writesToLive-- <= 0) {
      faults.onDeath();
      throw new Error('the process was killed');
    }
    if (isMade && method === 'POST' && faults.refuseCreates) throw forbidden(resource, '', 'no more of them');
    if (isMade && method === 'DELETE' && faults.refuseDeletes) throw forbidden(resource, '', 'they stay');
    const answer = await transport.call(request);
    if (isMade && method === 'POST' && answer.status < 300) faults.created += 1;
    if (isMade && method === 'DELETE' && answer.status < 300) faults.deleted += 1;
    return answer;
  };
  return Object.assign(Object.create(transport) as Transport, {
    call,
    watch: async (request: ApiCall) => {
      const events = await transport.watch(request);
      return request.path.endsWith(`/${makes}`) ? late(events) : events;
    },
    close: transport.close.bind(transport),
  });
}
