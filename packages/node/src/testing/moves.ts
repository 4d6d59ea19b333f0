import { readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { type Persisted, Pod } from '@vireo/api';
import { MIGRATION_JOB_LABEL } from '@vireo/api/kinds/kubevirt/migration.ts';
import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { connect, type DomainState } from '@vireo/libvirt';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { exists } from '../exists.ts';
import type { MigrationState } from '../migration/role.ts';
import { vmiFiles } from '../vmi/files.ts';
import { NAMESPACE } from './cluster.ts';
import { startTwoNodes, type TwoNodes } from './twoNodes.ts';
import { bootSectorVm } from './vms.ts';

type Vmi = Persisted<VirtualMachineInstance>;

/** The nodes that guests move between. */
export const [A, B] = ['node-1', 'node-2'];

/** Slow enough to be interrupted: seconds for the memory of the smallest guest. */
export const SLOW = { bandwidthPerMigration: '1Mi' };

/** Two nodes for the tests of a file, and what moves guests between them. */
export function useTwoNodes(options: Parameters<typeof startTwoNodes>[0] = {}) {
  let two: TwoNodes | undefined;
  let moves = 0;
  const cluster = (): TwoNodes => {
    if (!two) throw new Error('the nodes are there from beforeAll on');
    return two;
  };
  beforeAll(async () => {
    two = await startTwoNodes(options);
  }, 120_000);
  afterAll(() => two?.close(), 60_000);

  async function startVm(name: string, changes: object = {}): Promise<Vmi> {
    const vm = bootSectorVm(name, { nodeSelector: { 'kubernetes.io/hostname': A }, ...changes });
    const spec = vm.spec.template.spec;
    if (spec) {
      spec.domain.devices.disks = (spec.volumes ?? []).map((volume) => ({
        name: volume.name,
        disk: { bus: 'virtio' },
      }));
      spec.domain.devices.interfaces = [];
      spec.domain.devices.autoattachPodInterface = false;
      spec.networks = [];
    }
    await cluster().admin.of(VirtualMachine).create(vm);
    return cluster().vmi(name, ({ status }) => status?.phase === 'Running');
  }

  /** Does what the controller of migrations does: a second launcher, and the hand-over. */
  async function handOver(vmi: Vmi, to: string, migrationConfiguration: object = {}): Promise<void> {
    const uid = `3b4f5c6e-0000-4000-8000-${String(++moves).padStart(12, '0')}`;
    const { admin } = cluster();
    const pods = await admin.of(Pod).list({ namespace: NAMESPACE });
    const source = pods.items.find(
      ({ metadata, spec, status }) =>
        metadata.labels?.[CREATED_BY_LABEL] === vmi.metadata.uid &&
        spec?.nodeName === vmi.status?.nodeName &&
        status?.phase === 'Running',
    );
    if (!source) throw new Error('there is no launcher');
    const { nodeSelector: _, ...spec } = source.spec ?? { containers: [] };
    const name = `${vmi.metadata.name}-target-${moves}`;
    await admin.of(Pod).create({
      metadata: {
        name,
        namespace: NAMESPACE,
        labels: { ...source.metadata.labels, [MIGRATION_JOB_LABEL]: uid },
        annotations: source.metadata.annotations,
        ownerReferences: source.metadata.ownerReferences,
      },
      spec: { ...spec, nodeName: to },
    });
    await cluster().pod(name, ({ status }) => status?.phase === 'Running');
    const migrationState = {
      migrationUid: uid,
      sourceNode: source.spec?.nodeName,
      targetNode: to,
      sourcePod: source.metadata.name,
      targetPod: name,
      migrationConfiguration,
    };
    await admin.of(VirtualMachineInstance).patch(
      vmi.metadata.name,
      {
        metadata: { labels: { 'kubevirt.io/migrationTargetNodeName': to } },
        status: { migrationState: { ...nothing(vmi), ...migrationState } },
      },
      { namespace: NAMESPACE, type: 'merge' },
    );
  }

  /** What is left of the last migration goes. */
  const nothing = ({ status }: Vmi): Record<string, null> =>
    Object.fromEntries(Object.keys(status?.migrationState ?? {}).map((key) => [key, null]));

  const moved = (name: string, to: string): Promise<Vmi> =>
    cluster().vmi(name, ({ status }) => status?.migrationState?.completed === true && status.nodeName === to);

  /** What a guest answers on its serial console. */
  function echo(socket: string, text: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let answer = '';
    const connection = createConnection(socket, () => connection.write(text));
    connection.on('error', reject);
    connection.on('data', (chunk) => {
      answer += chunk.toString();
      if (!answer.includes(text)) return;
      connection.destroy();
      resolve(answer);
    });
    return promise;
  }

  /** The ids of a VMI's QEMU processes on each node. */
  const countsOf = (uid: string): Promise<number[]> =>
    Promise.all(cluster().nodes.map(async (node) => (await node.guests(uid)).length));

  /** The state of a migration that ended with the guest where it was. */
  const stayed = async (name: string): Promise<MigrationState> => {
    const { status } = await cluster().vmi(name, (vmi) => vmi.status?.migrationState?.failed === true);
    return status?.migrationState ?? {};
  };

  /** Whether a guest of a node is being sent (`to-memory`), or comes (`memory`): its QEMU has the channel. */
  const hasChannel = async (run: string, end: 'to-memory' | 'memory' = 'to-memory'): Promise<boolean> =>
    (await readFile('/proc/net/unix', 'utf8'))
      .split('\n')
      .some((line) => line.includes(run) && / 03 /.test(line) && line.endsWith(`/${end}`));

  const started = (name: string): Promise<Vmi> =>
    cluster().vmi(name, ({ status }) => status?.migrationState?.startTimestamp !== undefined);

  /** What libvirt of a node says of a VMI's domain. */
  async function stateOn(node: 0 | 1, { metadata: { name, uid } }: Vmi): Promise<DomainState> {
    const { libvirtSocket: socket, uri } = cluster().nodes[node].layout;
    const libvirt = await connect({ socket, uri });
    try {
      return await libvirt.domainState({ name: `${NAMESPACE}_${name}`, uuid: uid, id: -1 });
    } finally {
      await libvirt.close();
    }
  }

  /** The guest of a VMI runs on one node, and nothing of it is left on the other. */
  async function expectOneGuest(vmi: Vmi, on: 0 | 1): Promise<void> {
    const { uid, name } = vmi.metadata;
    await vi.waitFor(async () => expect(await countsOf(uid)).toEqual(on === 0 ? [1, 0] : [0, 1]), { timeout: 30_000 });
    const { status } = await cluster().vmi(name);
    expect(status).toMatchObject({ phase: 'Running', nodeName: cluster().nodes[on].name });
    const here = vmiFiles(cluster().nodes[on].layout, uid);
    await vi.waitFor(async () => expect(await echo(here.paths.serialSocket, 'alive')).toContain('alive'));
    const there = vmiFiles(cluster().nodes[(1 - on) as 0 | 1].layout, uid);
    await vi.waitFor(async () => expect(await exists(there.sockets)).toBe(false), { timeout: 30_000 });
  }

  return { cluster, startVm, handOver, moved, stayed, started, echo, countsOf, stateOn, hasChannel, expectOneGuest };
}
