import { createInterface } from 'node:readline/promises';
import { conditionOf, Lease, Node, type Persisted, Pod } from '@vireo/api';
import {
  FENCING_ANNOTATION,
  isOutOfService,
  leasePolicyText,
  NEVER_REPORTED,
  OUT_OF_SERVICE_TAINT,
  parseLeasePolicy,
  STOP_PROMISE_ANNOTATION,
} from '@vireo/api/kinds/kubevirt/fencing.ts';
import { isMovingTo } from '@vireo/api/kinds/kubevirt/migration.ts';
import { HEARTBEAT_ANNOTATION, LAUNCHER_SELECTOR } from '@vireo/api/kinds/kubevirt/names.ts';
import { isLive, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, ignoreNotFound } from '@vireo/kube';
import { Failure, TIMED_OUT } from '../../failure.ts';
import { programName } from '../../programName.ts';
import { connected } from '../vms/connection.ts';
import type { ConnectionOptions } from '../vms/connectionOptions.ts';
import { orFail } from '../vms/refusal.ts';
import { waitFor } from '../vms/waitFor.ts';
import { changeTaints } from './changeTaints.ts';
import { givenUpText, questionText } from './fenceText.ts';

export interface FenceOptions extends ConnectionOptions {
  readonly yes?: boolean;
  readonly policy?: 'lease' | 'none';
  readonly stopAfter: number;
  readonly restartAfter: number;
  readonly timeout: number;
}

/** The namespace of the Leases of nodes. */
export const LEASES = 'kube-node-lease';
const POLL_MS = 1_000;
/** An agent confirms a policy with its next renewal but one. */
const CONFIRMATION_MS = 30_000;

/** Declares the host of a node off, or sets its policy. */
export function fence(name: string, options: FenceOptions): Promise<void> {
  return connected(options, (connection) =>
    orFail(
      connection,
      (why) => `the node ${name} cannot be fenced: ${why}`,
      () => (options.policy === undefined ? declareOff : setPolicy)(name, options, connection.client),
    ),
  );
}

/** Lets a node run VMs again. */
export function unfence(name: string, options: ConnectionOptions): Promise<void> {
  return connected(options, (connection) =>
    orFail(
      connection,
      (why) => `the node ${name} cannot be unfenced: ${why}`,
      () => removeTaint(name, connection.client),
    ),
  );
}

async function removeTaint(name: string, client: Client): Promise<void> {
  const { node, isChanged } = await changeTaints(name, client, (node) =>
    isOutOfService(node) ? (node.spec?.taints ?? []).filter(({ key }) => key !== OUT_OF_SERVICE_TAINT) : undefined,
  );
  if (!node) throw notFound(name);
  if (!isChanged) return console.log(`The node ${name} is not fenced.`);
  const next = isReady(node) ? 'It runs VMs again.' : 'It runs VMs again when its agent reports.';
  console.log(`The node ${name} is no longer fenced. ${next}`);
}

/** Declares the host of a node off, and waits until the VMs that were there are given up. */
export async function declareOff(
  name: string,
  { yes = false, timeout }: Pick<FenceOptions, 'yes' | 'timeout'>,
  client: Client,
): Promise<void> {
  const node = await client.of(Node).find(name);
  const [names, arriving] = [namesOf(await vmisOn(name, client)), namesOf(await vmisMovingTo(name, client))];
  if (!node && names.length === 0 && arriving.length === 0) throw notFound(name);
  if (!yes) await confirm(questionText(name, names, arriving));
  const deadlineMs = Date.now() + timeout;
  if (node && isReady(node)) await awaitSilence(name, deadlineMs, client);
  // Only a Node can say that its host is off; one that was removed is made for as long as that takes.
  const standIn = node ? undefined : await client.of(Node).create(standInNode(name));
  if (node) await taint(name, client);
  const left = await waitFor(async () => ((await isGivenUp(name, client)) ? [] : undefined), {
    timeoutMs: deadlineMs - Date.now(),
    intervalMs: POLL_MS,
  });
  if (!left)
    throw new Failure(
      `the VMs of node ${name} are not given up yet`,
      `The node is fenced, and they will be if the controllers run. To see why not: kubectl describe node ${name}`,
      { exitCode: TIMED_OUT },
    );
  if (standIn) await client.of(Node).deleteExactly(standIn).catch(ignoreNotFound);
  console.log(givenUpText(name, names, { arriving, isRemoved: !node }));
}

/** A host whose node renews its lease is on, whatever anybody says. One that was just switched off is Ready for a minute. */
async function awaitSilence(name: string, deadlineMs: number, client: Client): Promise<void> {
  const renewal = async () => (await client.of(Lease).find(name, { namespace: LEASES }))?.spec?.renewTime;
  const before = await renewal();
  console.log(`The node ${name} is still Ready. Waiting until the server notices that it is silent …`);
  const silent = await waitFor(
    async () => {
      if ((await renewal()) !== before)
        throw new Failure(
          `the node ${name} reports, so its host is on`,
          `To move its VMs to other nodes: kubectl drain ${name}. If you have just switched the host off, try again.`,
        );
      const node = await client.of(Node).find(name);
      return node && isReady(node) ? undefined : true;
    },
    { timeoutMs: deadlineMs - Date.now(), intervalMs: POLL_MS },
  );
  if (!silent) throw new Failure(`the node ${name} is still Ready`, undefined, { exitCode: TIMED_OUT });
}

const taint = (name: string, client: Client) =>
  changeTaints(name, client, (node) =>
    isOutOfService(node)
      ? undefined
      : [...(node.spec?.taints ?? []), { key: OUT_OF_SERVICE_TAINT, value: 'nodeshutdown', effect: 'NoExecute' }],
  );

const standInNode = (name: string) => ({
  metadata: { name, annotations: { [HEARTBEAT_ANNOTATION]: NEVER_REPORTED } },
  spec: {
    unschedulable: true,
    taints: [{ key: OUT_OF_SERVICE_TAINT, value: 'nodeshutdown', effect: 'NoExecute' }],
  },
});

async function setPolicy(name: string, options: FenceOptions, client: Client): Promise<void> {
  const { policy, stopAfter, restartAfter } = options;
  const [stopAfterSeconds, restartAfterSeconds] = [stopAfter, restartAfter].map((ms) => Math.ceil(ms / 1000)) as [
    number,
    number,
  ];
  const text = policy === 'lease' ? leasePolicyText({ stopAfterSeconds, restartAfterSeconds }) : null;
  const parsed = text && parseLeasePolicy(text);
  if (parsed && 'problem' in parsed) throw new Failure(parsed.problem.replace(/: write .*/, ''));
  const node = await client.of(Node).find(name);
  if (!node) throw notFound(name);
  const annotations = { [FENCING_ANNOTATION]: text };
  await client.of(Node).patch(name, { metadata: { annotations } }, { type: 'merge' });
  const wanted = text === null ? undefined : String(stopAfterSeconds);
  const isConfirmed = await waitFor(
    async () => {
      const lease = await client.of(Lease).find(name, { namespace: LEASES });
      return lease?.metadata.annotations?.[STOP_PROMISE_ANNOTATION] === wanted ? true : undefined;
    },
    { timeoutMs: Math.min(CONFIRMATION_MS, options.timeout), intervalMs: POLL_MS },
  );
  const what =
    text === null
      ? `When node ${name} is silent, its VMs wait for it, or for \`${programName} node fence ${name}\`.`
      : `When node ${name} is silent, it ends its guests after ${stopAfterSeconds} s, and their VMs start on other nodes after ${restartAfterSeconds} s.`;
  console.log(what);
  if (!isConfirmed)
    throw new Failure(
      `the agent of node ${name} has not confirmed the policy`,
      'It does so when it reports, and the policy is in force from then on.',
      {
        exitCode: TIMED_OUT,
      },
    );
}

/** Whether a node reports that it is ready, or was heard of less than a minute ago. */
export const isReady = (node: Persisted<Node>): boolean => conditionOf(node, 'Ready')?.status === 'True';

/** There is nothing of a node. */
export const notFound = (name: string): Failure =>
  new Failure(`there is no node ${name}, and no VM is on it`, 'To list the nodes: kubectl get nodes');

/** The VMIs that are on a node, as far as anybody knows. */
export async function vmisOn(name: string, client: Client): Promise<Vmi[]> {
  const { items } = await client.of(Vmi).list();
  return items.filter((vmi) => isLive(vmi) && vmi.status?.nodeName === name);
}

/** The VMIs whose guests are on their way to a node, where they may have arrived. */
export async function vmisMovingTo(name: string, client: Client): Promise<Vmi[]> {
  const { items } = await client.of(Vmi).list();
  return items.filter((vmi) => isLive(vmi) && isMovingTo(name, vmi));
}

/** What users call VMIs, in order. */
export const namesOf = (vmis: readonly Vmi[]): string[] =>
  vmis.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort();

async function isGivenUp(name: string, client: Client): Promise<boolean> {
  if ((await vmisOn(name, client)).length > 0 || (await vmisMovingTo(name, client)).length > 0) return false;
  const { items } = await client
    .of(Pod)
    .list({ labelSelector: LAUNCHER_SELECTOR, fieldSelector: `spec.nodeName=${name}` });
  return items.length === 0;
}

async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new Failure('it must be confirmed that the host is off', 'Check that it is, and add --yes.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    if ((await terminal.question(question)).trim().toLowerCase() !== 'yes') throw new Failure('nothing was changed');
  } finally {
    terminal.close();
  }
}
