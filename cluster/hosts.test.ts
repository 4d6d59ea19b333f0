import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { NodeRole } from '../e2e/cluster/roles.ts';
import { end, guestsOf, processesWith, type RunningProcess } from '../e2e/vms/leftovers.ts';
import { vm } from '../e2e/vms/manifests.ts';
import { useRealCluster } from './fixture.ts';

const cluster = useRealCluster();

/** An unreachable node is noticed after 50 seconds, and a busy host takes its time. */
const PATIENT = { timeout: 170_000, interval: 500 };
const AWAY_MS = 20_000;

const field = async (path: string): Promise<string> =>
  (await cluster().kubectl.run(`get vmi roamer -o jsonpath={${path}}`)).stdout;

/** The processes of the VM on all nodes; fails where there are two. */
async function guests(): Promise<number[]> {
  const isRoamer = ({ command }: RunningProcess): boolean => command.some((word) => /guest=[^,]*roamer/.test(word));
  const found = (await guestsOf(cluster().directory)).filter(isRoamer).map(({ pid }) => pid);
  expect(found.length).toBeLessThanOrEqual(1);
  return found;
}

/** Waits for a phase; at every look the VM runs at most once. */
const untilPhase = (phase: string): Promise<void> =>
  vi.waitFor(async () => {
    await guests();
    expect(await field('.status.phase')).toBe(phase);
  }, PATIENT);

/** The node that the VM is on. */
async function itsNode(): Promise<NodeRole> {
  const name = await field('.status.nodeName');
  const node = cluster().nodes.find((each) => each.name === name);
  if (!node) throw new Error(`the VM is on no node of this cluster: ${name}`);
  return node;
}

beforeAll(async () => {
  await cluster().kubectl.do('apply -f -', { input: vm('roamer', { graceSeconds: 0 }) });
  await untilPhase('Running');
});

describe('a VM on one of three nodes', () => {
  it('is Unknown while the agent of its node is suspended, and Running when that goes on', async () => {
    const { kubectl } = cluster();
    const [before, node, uid] = [await guests(), await itsNode(), await field('.metadata.uid')];
    node.signal('SIGSTOP');
    await untilPhase('Unknown');
    await kubectl.until(
      `get events --field-selector involvedObject.name=roamer -o jsonpath={.items[*].message}`,
      new RegExp(`vireo node fence ${node.name}`),
    );
    expect(await guests()).toEqual(before);
    node.signal('SIGCONT');
    await untilPhase('Running');
    expect([await guests(), await field('.metadata.uid')]).toEqual([before, uid]);
  });

  it('goes on when its Node is deleted, which its agent creates again', async () => {
    const { kubectl } = cluster();
    const [before, { name }] = [await guests(), await itsNode()];
    const uidOf = async (): Promise<string> =>
      (await kubectl.run(`get node ${name} -o jsonpath={.metadata.uid}`)).stdout;
    const uid = await uidOf();
    await kubectl.do(`delete node ${name}`);
    await vi.waitFor(async () => expect(await uidOf()).toMatch(new RegExp(`^(?!${uid})[0-9a-f-]{36}$`)), PATIENT);
    await kubectl.do(`wait node/${name} --for=condition=Ready --timeout=120s`);
    await untilPhase('Running');
    expect(await guests()).toEqual(before);
  });

  it('goes on while the API server is away', async () => {
    const before = await guests();
    await cluster().plane.stopApiServer();
    await delay(AWAY_MS);
    expect(await guests()).toEqual(before);
    await cluster().plane.startApiServer();
    await untilPhase('Running');
    await cluster().kubectl.do('apply -f -', { input: vm('later', { graceSeconds: 0 }) });
    await cluster().kubectl.do('wait vm/later --for=condition=Ready --timeout=120s');
    expect(await guests()).toEqual(before);
  });

  it('is started elsewhere when its host is off and an administrator says so', async () => {
    const { kubectl, vireo, directory } = cluster();
    const node = await itsNode();
    node.signal('SIGSTOP');
    for (const { pid } of await processesWith(node.home)) if (pid !== node.pid) end(pid, 'SIGKILL');
    await untilPhase('Unknown');
    expect(await guests()).toEqual([]);
    expect(await vireo(`node fence ${node.name} --yes`)).not.toContain('exit code');
    await vi.waitFor(async () => {
      expect(await guests()).toHaveLength(1);
      expect(await field('.status.phase')).toBe('Running');
      expect(await field('.status.nodeName')).not.toBe(node.name);
    }, PATIENT);
    const elsewhere = await guests();
    node.signal('SIGCONT');
    await kubectl.do(`wait node/${node.name} --for=condition=Ready --timeout=120s`);
    expect(await vireo(`node unfence ${node.name}`)).not.toContain('exit code');
    expect(await kubectl(`get node ${node.name} -o jsonpath={.spec.taints[*].key}`)).not.toContain('out-of-service');
    expect([await guests(), await guestsOf(`${directory}/${node.name}`)]).toEqual([elsewhere, []]);
  });
});
