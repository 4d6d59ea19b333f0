import { ApiError } from '@vireo/api';
import type { Client } from '@vireo/kube';
import type { Fact, Ledger, Outcome } from './ledger.ts';
import { at, herd, machine, NAMESPACE, SET, VirtualMachine, VirtualMachineInstanceReplicaSet } from './objects.ts';

/** After this a user gives up waiting, and does not know. */
const PATIENCE_MS = 20_000;

/** One request of a user: what it would change, and how to send it. */
export interface Attempt {
  /** What it is called in the journal. */
  readonly action: string;
  readonly name: string;
  readonly change: Fact;
  send(client: Client, signal: AbortSignal): Promise<unknown>;
}

const subresource = (name: string, action: string) => (client: Client, signal: AbortSignal) =>
  client.call({
    method: 'PUT',
    path: `/apis/subresources.kubevirt.io/v1/namespaces/${NAMESPACE}/virtualmachines/${name}/${action}`,
    body: {},
    signal,
  });

/** What users do. `dice` is a number below 1 for what else is to be chosen. */
export const ACTIONS: Readonly<Record<string, (name: string, dice: number) => Attempt>> = {
  create: (name, dice) => ({
    action: 'create',
    name,
    change: { exists: true, runs: dice < 0.7 },
    send: (client, signal) => client.of(VirtualMachine).create(machine(name, dice < 0.7), { signal }),
  }),
  start: (name) => ({ action: 'start', name, change: { runs: true }, send: subresource(name, 'start') }),
  stop: (name) => ({ action: 'stop', name, change: { runs: false }, send: subresource(name, 'stop') }),
  restart: (name) => ({ action: 'restart', name, change: {}, send: subresource(name, 'restart') }),
  delete: (name) => ({
    action: 'delete',
    name,
    change: { exists: false },
    send: (client, signal) => client.of(VirtualMachine).delete(name, { ...at, signal }),
  }),
  scale: (_, dice) => {
    const replicas = Math.floor(dice * 4);
    const patch = { spec: { replicas } };
    return {
      action: `scale to ${replicas}`,
      name: SET,
      change: { replicas },
      send: (client, signal) =>
        client.of(VirtualMachineInstanceReplicaSet).patch(SET, patch, { ...at, type: 'merge', signal }),
    };
  },
};

/** How often users do what, one beside the other. */
export const HABITS: readonly string[] = 'create create start start stop restart restart delete scale scale'.split(' ');

/** Makes the set that is scaled later. */
export const createHerd: Attempt = {
  action: 'create',
  name: SET,
  change: { exists: true, replicas: 0 },
  send: (client, signal) => client.of(VirtualMachineInstanceReplicaSet).create(herd(0), { signal }),
};

/** Sends it, and notes what its sender knows afterwards. */
export async function attempt(
  { action, name, change, send }: Attempt,
  client: Client,
  ledger: Ledger,
): Promise<Outcome> {
  const { outcome, words } = await send(client, AbortSignal.timeout(PATIENCE_MS)).then(
    () => ({ outcome: 'acknowledged' as const, words: action }),
    (error: Error) => ({ outcome: outcomeOf(error), words: `${action} (${error.message})` }),
  );
  ledger.note(name, change, outcome, words);
  return outcome;
}

/** A refusal is an answer; after anything else the request may have been done or not. */
const outcomeOf = (error: unknown): Outcome =>
  error instanceof ApiError && error.code >= 400 && error.code < 500 ? 'refused' : 'unknown';
