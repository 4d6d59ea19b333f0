import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@vireo/api';
import type { Client } from '@vireo/kube';
import type { Fact, Ledger, Outcome } from './ledger.ts';
import { NetworkPolicy, policyName, policyOf, Service, serviceName, serviceOf } from './network/objects.ts';
import {
  at,
  DataVolume,
  DISCS,
  DRIVE,
  disc,
  herd,
  NAMESPACE,
  restoreOf,
  SET,
  snapshotOf,
  VirtualMachine,
  VirtualMachineInstanceReplicaSet,
  VirtualMachineRestore,
  VirtualMachineSnapshot,
  vm,
} from './objects.ts';
import type { TestBed } from './testBed.ts';

/** After this a user gives up waiting, and does not know. */
const TIMEOUT_MS = 20_000;
const RETRY_MS = 200;

/** One request of a user: what it would change, and how to send it. */
export interface Attempt {
  /** What it is called in the journal. */
  readonly action: string;
  /** The VM or set that it is about: what is done with one happens one after the other. */
  readonly about: string;
  /** The object that it changes, where that is another one. */
  readonly object?: string;
  readonly change: Fact;
  /** Whether that object goes when its VM goes. */
  readonly isOfVm?: boolean;
  /** Objects that the server changes for it at a moment of its own. */
  blurs?(name: string): boolean;
  send(client: Client, signal: AbortSignal): Promise<unknown>;
}

/** What there is to choose for an action. */
export interface Choice {
  /** The VM. */
  readonly name: string;
  /** A number below 1 for everything else. */
  readonly dice: number;
  /** Whether VMs have a disk of their own. */
  readonly hasDisks: boolean;
}

const subresource = (name: string, action: string, body: object) => (client: Client, signal: AbortSignal) =>
  client.call({
    method: 'PUT',
    path: `/apis/subresources.kubevirt.io/v1/namespaces/${NAMESPACE}/virtualmachines/${name}/${action}`,
    body,
    signal,
  });

/** Each VM has two snapshots at most, so that they come and go. */
const snapshotName = (vm: string, dice: number): string => `${vm}-kept-${dice < 0.5 ? 1 : 2}`;
const restoresOf = (vm: string): string => `${vm}-back-`;

/** What users do. */
export const ACTIONS: Readonly<Record<string, (choice: Choice) => Attempt>> = {
  create: ({ name, dice, hasDisks }) => ({
    action: 'create',
    about: name,
    change: { exists: true, runs: dice < 0.7, disc: '' },
    send: (client, signal) => client.of(VirtualMachine).create(vm(name, dice < 0.7, hasDisks), { signal }),
  }),
  start: ({ name }) => ({
    action: 'start',
    about: name,
    change: { runs: true },
    send: subresource(name, 'start', {}),
  }),
  stop: ({ name }) => ({ action: 'stop', about: name, change: { runs: false }, send: subresource(name, 'stop', {}) }),
  restart: ({ name }) => ({ action: 'restart', about: name, change: {}, send: subresource(name, 'restart', {}) }),
  inject: ({ name, dice }) => {
    const claimName = DISCS[Math.floor(dice * DISCS.length)]!;
    // Half of them mind what is in the drive.
    const replace = Math.floor(dice * 4) % 2 === 0;
    const volumeSource = { persistentVolumeClaim: { claimName } };
    return {
      action: `inject ${claimName}${replace ? ' in exchange' : ''}`,
      about: name,
      change: { disc: claimName },
      send: subresource(name, 'addvolume', { name: DRIVE, volumeSource, ...(replace && { replace }) }),
    };
  },
  eject: ({ name }) => ({
    action: 'eject',
    about: name,
    change: { disc: '' },
    send: subresource(name, 'removevolume', { name: DRIVE, diskRetentionPolicy: 'keep' }),
  }),
  snapshot: ({ name, dice }) => {
    const snapshot = snapshotName(name, dice);
    return {
      action: 'snapshot',
      about: name,
      object: snapshot,
      change: { exists: true },
      send: (client, signal) => client.of(VirtualMachineSnapshot).create(snapshotOf(name, snapshot), { signal }),
    };
  },
  restore: ({ name, dice }) => {
    const restore = `${restoresOf(name)}${Math.floor(dice * 1e6)}`;
    const draft = restoreOf(name, snapshotName(name, dice), restore);
    return {
      action: 'restore',
      about: name,
      object: restore,
      change: { exists: true },
      // It stops the VM, or makes it anew, and puts the discs and disks of then into it.
      isOfVm: true,
      blurs: (other) => other === name,
      send: (client, signal) => client.of(VirtualMachineRestore).create(draft, { signal }),
    };
  },
  forget: ({ name, dice }) => {
    const snapshot = snapshotName(name, dice);
    return {
      action: 'forget',
      about: name,
      object: snapshot,
      change: { exists: false },
      send: (client, signal) => client.of(VirtualMachineSnapshot).delete(snapshot, { ...at, signal }),
    };
  },
  delete: ({ name }) => ({
    action: 'delete',
    about: name,
    change: { exists: false },
    blurs: (other) => other.startsWith(restoresOf(name)),
    send: (client, signal) => client.of(VirtualMachine).delete(name, { ...at, signal }),
  }),
  expose: ({ name, dice }) => ({
    action: 'expose',
    about: name,
    object: serviceName(name),
    change: { exists: true },
    send: (client, signal) => client.of(Service).create(serviceOf(name, dice), { signal }),
  }),
  unexpose: ({ name }) => ({
    action: 'unexpose',
    about: name,
    object: serviceName(name),
    change: { exists: false },
    send: (client, signal) => client.of(Service).delete(serviceName(name), { ...at, signal }),
  }),
  isolate: ({ name, dice }) => ({
    action: 'isolate',
    about: name,
    object: policyName(name),
    change: { exists: true },
    send: (client, signal) => client.of(NetworkPolicy).create(policyOf(name, dice), { signal }),
  }),
  release: ({ name }) => ({
    action: 'release',
    about: name,
    object: policyName(name),
    change: { exists: false },
    send: (client, signal) => client.of(NetworkPolicy).delete(policyName(name), { ...at, signal }),
  }),
  scale: ({ dice }) => {
    const replicas = Math.floor(dice * 4);
    const patch = { spec: { replicas } };
    return {
      action: `scale to ${replicas}`,
      about: SET,
      change: { replicas },
      send: (client, signal) =>
        client.of(VirtualMachineInstanceReplicaSet).patch(SET, patch, { ...at, type: 'merge', signal }),
    };
  },
};

/** How often users do what, one beside the other. */
const TIMES = {
  create: 2,
  start: 2,
  stop: 3,
  restart: 1,
  delete: 2,
  scale: 2,
  inject: 3,
  eject: 1,
  snapshot: 2,
  restore: 1,
  forget: 1,
  expose: 2,
  unexpose: 1,
  isolate: 2,
  release: 1,
};

/** The actions to choose from, each as often as users do it. */
export const HABITS: readonly string[] = Object.entries(TIMES).flatMap(([action, times]) => Array(times).fill(action));

/** What users do whose machines come and go, and who care for the network alone. */
export const NETWORK_HABITS: readonly string[] = HABITS.filter(
  (action) => !['inject', 'eject', 'snapshot', 'restore', 'forget'].includes(action),
);

/** Makes the set that is scaled later, and the discs. */
export const FIRST: readonly Attempt[] = [
  {
    action: 'create',
    about: SET,
    change: { exists: true, replicas: 0 },
    send: (client, signal) => client.of(VirtualMachineInstanceReplicaSet).create(herd(0), { signal }),
  },
  ...DISCS.map((name) => ({
    action: 'create',
    about: name,
    change: { exists: true },
    send: (client: Client, signal: AbortSignal) => client.of(DataVolume).create(disc(name), { signal }),
  })),
];

/** Sends it, and notes what its sender knows afterwards; `ending`: nobody waits any more. */
export async function attempt(
  wanted: Attempt,
  testBed: Pick<TestBed, 'client'>,
  ledger: Ledger,
  ending: AbortSignal,
): Promise<Outcome> {
  const { action, about, object = about, change, isOfVm } = wanted;
  const { outcome, words } = await sendToServer(
    wanted,
    testBed,
    AbortSignal.any([ending, AbortSignal.timeout(TIMEOUT_MS)]),
  ).then(
    () => ({ outcome: 'acknowledged' as const, words: '' }),
    (error: Error) => ({ outcome: outcomeOf(error), words: ` (${error.message})` }),
  );
  ledger.write(`${about} ${action}${words}: ${outcome}`);
  if (outcome === 'refused') return outcome;
  // What is made for a VM that may be going already goes with it.
  if (isOfVm && ledger.get(about).exists !== true) ledger.blur(object);
  else ledger.note(object, change, outcome);
  for (const name of ledger.names()) if (wanted.blurs?.(name)) ledger.blur(name);
  return outcome;
}

/** A server that is not there is called again, as people do. */
async function sendToServer(
  { send }: Attempt,
  testBed: Pick<TestBed, 'client'>,
  signal: AbortSignal,
): Promise<unknown> {
  for (;;) {
    try {
      return await send(testBed.client, signal);
    } catch (error) {
      if (signal.aborted || !/connect ECONNREFUSED/.test((error as Error).message)) throw error;
      await delay(RETRY_MS);
    }
  }
}

/** A refusal is an answer; after anything else the request may have been done or not. */
const outcomeOf = (error: unknown): Outcome =>
  error instanceof ApiError && error.code >= 400 && error.code < 500 ? 'refused' : 'unknown';
