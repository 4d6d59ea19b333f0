import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { type Persisted, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { SHARED_PROVISIONER } from '@vireo/api/kinds/core/volumeNames.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { connect } from '@vireo/libvirt';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BOOT_SECTOR_IMAGE } from '../disks/images.ts';
import { exists } from '../exists.ts';
import { killEverything, NAMESPACE } from '../testing/cluster.ts';
import { A, B, SLOW, useTwoNodes } from '../testing/moves.ts';
import type { TwoNodes } from '../testing/twoNodes.ts';
import { vmiFiles } from '../vmi/files.ts';
import { GUEST_ENDED, targetOf } from './outgoing.ts';
import { PeerCertificates } from './peerCertificates.ts';
import { PeerSession } from './peerClient.ts';
import { currentMigration } from './role.ts';

const { cluster, startVm, handOver, moved, stayed, started, countsOf, stateOn, hasChannel, expectOneGuest } =
  useTwoNodes();

describe('a running guest', () => {
  it('moves to another node and back', async () => {
    const vmi = await startVm('wanderer');
    await handOver(vmi, B);
    const there = await moved('wanderer', B);
    expect(there.status?.migrationState).toMatchObject({ completed: true, mode: 'PreCopy' });
    await expectOneGuest(vmi, 1);
    await handOver(there, A);
    await moved('wanderer', A);
    await expectOneGuest(vmi, 0);
  }, 120_000);

  it('that is paused moves, and stays paused', async () => {
    const vmi = await startVm('sleeper', { startStrategy: 'Paused' });
    await handOver(vmi, B);
    const { status } = await moved('sleeper', B);
    expect(status?.conditions?.find(({ type }) => type === 'Paused')?.reason).toBe('PausedByUser');
    await vi.waitFor(async () => expect(await countsOf(vmi.metadata.uid)).toEqual([0, 1]), { timeout: 30_000 });
  }, 60_000);
});

describe('a guest that has grown while it ran', () => {
  const resize = (domain: object): Promise<unknown> =>
    cluster()
      .admin.of(VirtualMachine)
      .patch('grown', { spec: { template: { spec: { domain } } } }, { namespace: NAMESPACE, type: 'merge' });
  const sized = (sockets: number, guest: string) =>
    cluster().vmi(
      'grown',
      ({ status }) => status?.currentCPUTopology?.sockets === sockets && status.memory?.guestRequested === guest,
    );

  it('keeps its CPUs and its memory, and gets more where it has come to', async () => {
    const vmi = await startVm('grown', {
      domain: {
        machine: { type: 'q35' },
        cpu: { sockets: 1, cores: 1, threads: 1, maxSockets: 4 },
        memory: { guest: '1Gi', maxGuest: '2Gi' },
        devices: {},
      },
    });
    await resize({ cpu: { sockets: 2 }, memory: { guest: '1152Mi' } });
    await handOver(await sized(2, '1152Mi'), B);
    const { status } = await moved('grown', B);
    expect(status).toMatchObject({ currentCPUTopology: { sockets: 2 }, memory: { guestRequested: '1152Mi' } });
    await expectOneGuest(vmi, 1);
    await resize({ cpu: { sockets: 3 }, memory: { guest: '1280Mi' } });
    await sized(3, '1280Mi');
    await expectOneGuest(vmi, 1);
  }, 120_000);
});

describe('a guest with a disk on shared storage', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp('/tmp/vireo-shared-');
    // The users of guests pass through to their disks.
    await chmod(directory, 0o711);
    await cluster()
      .admin.of(StorageClass)
      .create({
        metadata: { name: 'common' },
        provisioner: SHARED_PROVISIONER,
        parameters: { directory },
        allowVolumeExpansion: true,
      });
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('takes it along without a copy, and has it as the user that it is there', async () => {
    await cluster()
      .admin.of(PersistentVolumeClaim)
      .create({
        metadata: { name: 'data', namespace: NAMESPACE },
        spec: {
          accessModes: ['ReadWriteMany'],
          storageClassName: 'common',
          resources: { requests: { storage: '16Mi' } },
        },
      });
    const vmi = await startVm('keeper', {
      volumes: [
        { name: 'root', containerDisk: { image: BOOT_SECTOR_IMAGE } },
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      ],
    });
    expect(vmi.status?.conditions?.find(({ type }) => type === 'LiveMigratable')).toMatchObject({ status: 'True' });
    const volume = (await readdir(directory)).find((name) => name.startsWith('pvc-'));
    const disk = join(directory, volume ?? '', 'disk.img');
    const { ino, uid: owner } = await stat(disk);
    await handOver(vmi, B);
    await moved('keeper', B);
    await expectOneGuest(vmi, 1);
    const after = await stat(disk);
    expect(after.ino).toBe(ino);
    expect(owner).toBe(vmi.status?.runtimeUser);
    await cluster().vmi('keeper', ({ status }) => status?.runtimeUser === after.uid);
    expect(await readdir(join(directory, '.vireo-shared'))).not.toContainEqual(expect.stringMatching(/^migration-/));
  }, 60_000);

  it('has a larger one where it has come to when its claim grows', async () => {
    const { metadata } = await cluster().vmi('keeper');
    await cluster()
      .admin.of(PersistentVolumeClaim)
      .patch(
        'data',
        { spec: { resources: { requests: { storage: '32Mi' } } } },
        { namespace: NAMESPACE, type: 'merge' },
      );
    const { libvirtSocket: socket, uri } = cluster().nodes[1].layout;
    const libvirt = await connect({ socket, uri });
    try {
      const domain = { name: `${NAMESPACE}_keeper`, uuid: metadata.uid, id: -1 };
      await vi.waitFor(
        async () => expect((await libvirt.blockInfo(domain, 'vdb')).capacityBytes).toBe(32 * 1024 * 1024),
        { timeout: 30_000 },
      );
    } finally {
      await libvirt.close();
    }
  }, 60_000);
});

describe('a guest stays where it is, and runs once,', () => {
  it('if its migration is aborted', async () => {
    const vmi = await startVm('regretted');
    await handOver(vmi, B, SLOW);
    await started('regretted');
    await cluster()
      .admin.of(VirtualMachineInstance)
      .patch(
        'regretted',
        { status: { migrationState: { abortRequested: true } } },
        { namespace: NAMESPACE, type: 'merge' },
      );
    expect(await stayed('regretted')).toMatchObject({
      abortStatus: 'Succeeded',
      failureReason: 'Live migration has been aborted',
    });
    await expectOneGuest(vmi, 0);
  }, 60_000);

  it.each<[string, string, (nodes: TwoNodes['nodes']) => Promise<void>, why?: RegExp]>([
    [
      'target-agent',
      'if the agent of the target ends',
      async ([, target]) => {
        await target.stop();
        await stayed('target-agent');
        await target.start();
      },
    ],
    [
      'source-agent',
      'if the agent of the source ends',
      async ([source]) => {
        await source.stop();
        await source.start();
      },
      /^the node agent of the source was restarted/,
    ],
    [
      'target-libvirtd',
      'if libvirtd of the target dies',
      async ([, target]) => void process.kill(await target.libvirtdPid(), 'SIGKILL'),
    ],
    [
      'source-libvirtd',
      'if libvirtd of the source dies',
      async ([source]) => void process.kill(await source.libvirtdPid(), 'SIGKILL'),
      /^libvirtd of node node-1 has ended/,
    ],
  ])(
    '%s: %s',
    async (name, _, interrupt, why = /./) => {
      const vmi = await startVm(name);
      const [pid] = await cluster().nodes[0].guests(vmi.metadata.uid);
      await handOver(vmi, B, SLOW);
      await started(name);
      await vi.waitFor(async () => expect(await countsOf(vmi.metadata.uid)).toEqual([1, 1]), { interval: 10 });
      await interrupt(cluster().nodes);
      expect((await stayed(name)).failureReason).toMatch(why);
      await expectOneGuest(vmi, 0);
      expect(await cluster().nodes[0].guests(vmi.metadata.uid)).toEqual([pid]);
    },
    90_000,
  );
});

describe('a guest that moves', () => {
  it('ends if its VMI is deleted, and nothing of it stays on either node', async () => {
    const vmi = await startVm('doomed', { terminationGracePeriodSeconds: 0 });
    await handOver(vmi, B, SLOW);
    await vi.waitFor(async () => expect(await countsOf(vmi.metadata.uid)).toEqual([1, 1]), { interval: 10 });
    await cluster().admin.of(VirtualMachine).delete('doomed', { namespace: NAMESPACE });
    await cluster().gone('vmi', 'doomed');
    expect(await countsOf(vmi.metadata.uid)).toEqual([0, 0]);
    for (const { layout } of cluster().nodes) {
      const { directory, sockets } = vmiFiles(layout, vmi.metadata.uid);
      await vi.waitFor(async () => expect(await Promise.all([directory, sockets].map(exists))).toEqual([false, false]));
    }
  }, 60_000);

  it('ends if its VMI is deleted while the host that it leaves is off', async () => {
    const vmi = await startVm('orphan', { terminationGracePeriodSeconds: 0 });
    await handOver(vmi, B, SLOW);
    await vi.waitFor(() => expect(hasChannel(cluster().nodes[0].layout.run)).resolves.toBe(true), { interval: 10 });
    const [source] = cluster().nodes;
    await source.stop();
    await killEverything(source.layout);
    // The host has forgotten everything by the time that it is on again.
    await rm(join(source.layout.libvirt, 'run'), { recursive: true, force: true });
    const { migrationState } = (await cluster().vmi('orphan')).status ?? {};
    await cluster().admin.of(VirtualMachine).delete('orphan', { namespace: NAMESPACE });
    await cluster().gone('pod', migrationState?.targetPod ?? '');
    await source.start();
    await cluster().gone('vmi', 'orphan');
    expect(await countsOf(vmi.metadata.uid)).toEqual([0, 0]);
  }, 60_000);

  it('does not come any more if its source has to ask where it is', async () => {
    const vmi = await startVm('forgotten');
    await handOver(vmi, B, SLOW);
    await vi.waitFor(() => expect(hasChannel(cluster().nodes[0].layout.run)).resolves.toBe(true), { interval: 10 });
    const migration = currentMigration(await cluster().vmi('forgotten'));
    const peer = migration && targetOf(migration);
    if (!peer) throw new Error('nobody listens for the guest');
    // A source that was off meanwhile has nothing but this question.
    const { admin, log, nodes } = cluster();
    const home = dirname(nodes[0].layout.vmis);
    const options = { home, name: A, address: peer.host, client: admin, kubelet: admin, log };
    const credentials = await new PeerCertificates(options, new AbortController().signal).client();
    using session = new PeerSession(() => peer, credentials, migration.migrationUid);
    const answer = await session.ask('outcome', {});
    expect(answer).toMatchObject({ outcome: 'gone' });
    await stayed('forgotten');
    await expectOneGuest(vmi, 0);
  }, 60_000);
});

/** Resolves when a guest stands still on its source because all of it is on the target. */
const standingStill = (vmi: Parameters<typeof stateOn>[1]): Promise<void> =>
  vi.waitFor(async () => expect(await stateOn(0, vmi)).toEqual({ state: 'paused', reason: 'migration' }), {
    timeout: 30_000,
    interval: 20,
  });

/** Resolves when QEMU of the source has nothing more to send. */
async function sent({ metadata: { name, uid } }: Persisted<VirtualMachineInstance>): Promise<void> {
  const { libvirtSocket: socket, uri } = cluster().nodes[0].layout;
  const libvirt = await connect({ socket, uri });
  const ref = { name: `${NAMESPACE}_${name}`, uuid: uid, id: -1 };
  const asked = () => libvirt.monitorCommand(ref, '{"execute":"query-migrate"}');
  const wait = vi.waitFor(async () => expect(await asked()).toContain('"status":"completed"'), { timeout: 30_000 });
  await wait.finally(() => libvirt.close());
}

/** Resolves with the guest of a paused VM when all of it is at a target whose libvirtd does not answer. */
async function pausedAndSent(name: string): Promise<{ vmi: Persisted<VirtualMachineInstance>; goOn: () => void }> {
  const vmi = await startVm(name, { startStrategy: 'Paused' });
  await handOver(vmi, B, SLOW);
  const [source, target] = cluster().nodes;
  await vi.waitFor(() => expect(hasChannel(source.layout.run)).resolves.toBe(true), { interval: 10 });
  const libvirtd = await target.libvirtdPid();
  process.kill(libvirtd, 'SIGSTOP');
  const goOn = () => void process.kill(libvirtd, 'SIGCONT');
  await sent(vmi).catch((error: unknown) => {
    goOn();
    throw error;
  });
  return { vmi, goOn };
}

it('a paused guest that may have left is not taken for one that stays when the agent of its source starts again', async () => {
  const { vmi, goOn } = await pausedAndSent('still');
  const { nodes, log } = cluster();
  try {
    expect(await stateOn(0, vmi)).toEqual({ state: 'paused', reason: 'user' });
    await nodes[0].stop();
    const told = JSON.stringify(log).length;
    await nodes[0].start();
    // Its target is asked, and does not answer.
    await vi.waitFor(() => expect(JSON.stringify(log).slice(told)).toContain('does not tell where the guest is'), {
      timeout: 30_000,
    });
    expect((await cluster().vmi('still')).status?.migrationState?.completed).toBeUndefined();
  } finally {
    goOn();
  }
  const { status } = await cluster().vmi('still', (found) => found.status?.migrationState?.completed === true);
  const on = status?.migrationState?.failed ? 0 : 1;
  await vi.waitFor(async () => expect(await countsOf(vmi.metadata.uid)).toEqual(on === 0 ? [1, 0] : [0, 1]), {
    timeout: 30_000,
  });
  expect(await stateOn(on, vmi)).toEqual({ state: 'paused', reason: 'user' });
}, 90_000);

describe('a guest whose target does not answer when all is there', () => {
  it.each<[string, string, (nodes: TwoNodes['nodes'], goOn: () => void) => Promise<void>]>([
    ['late', 'stands still until the target says that it has it', async (_, goOn) => goOn()],
    [
      'source-restarted',
      'runs once, though the agent of the source has ended meanwhile',
      async ([source], goOn) => {
        await source.stop();
        goOn();
        await source.start();
      },
    ],
    [
      'target-restarted',
      'runs once, though the agent of the target has ended meanwhile',
      async ([, target], goOn) => {
        await Promise.all([target.stop(), goOn()]);
        await target.start();
      },
    ],
  ])(
    '%s: %s',
    async (name, _, interrupt) => {
      const vmi = await startVm(name);
      await handOver(vmi, B, SLOW);
      await vi.waitFor(async () => expect(await countsOf(vmi.metadata.uid)).toEqual([1, 1]), { interval: 10 });
      const libvirtd = await cluster().nodes[1].libvirtdPid();
      // It has prepared the domain; the memory comes without it.
      await vi.waitFor(() => expect(hasChannel(cluster().nodes[0].layout.run)).resolves.toBe(true), { interval: 10 });
      process.kill(libvirtd, 'SIGSTOP');
      try {
        await standingStill(vmi);
        await interrupt(cluster().nodes, () => void process.kill(libvirtd, 'SIGCONT'));
      } finally {
        process.kill(libvirtd, 'SIGCONT');
      }
      const { status } = await cluster().vmi(name, (found) => found.status?.migrationState?.completed === true);
      await expectOneGuest(vmi, status?.migrationState?.failed ? 0 : 1);
    },
    90_000,
  );

  it('goes on at the source when its target is off, and was given up', async () => {
    const vmi = await startVm('target-off');
    await handOver(vmi, B, SLOW);
    const [source, target] = cluster().nodes;
    await vi.waitFor(() => expect(hasChannel(source.layout.run)).resolves.toBe(true), { interval: 10 });
    const libvirtd = await target.libvirtdPid();
    process.kill(libvirtd, 'SIGSTOP');
    try {
      await sent(vmi);
    } finally {
      const stopping = target.stop();
      for (const pid of [libvirtd, ...(await target.guests(vmi.metadata.uid))]) process.kill(pid, 'SIGKILL');
      await stopping;
    }
    const failureReason = 'the host of node node-2 is powered off';
    const told = { status: { migrationState: { failureReason } } };
    const { admin } = cluster();
    await admin.of(VirtualMachineInstance).patch('target-off', told, { namespace: NAMESPACE, type: 'merge' });
    expect((await stayed('target-off')).failureReason).toContain(failureReason);
    await target.start();
    await expectOneGuest(vmi, 0);
  }, 60_000);

  it('goes on at the source, though the agent of the target listens on another port meanwhile', async () => {
    const vmi = await startVm('target-elsewhere');
    await handOver(vmi, B, SLOW);
    const [, target] = cluster().nodes;
    await vi.waitFor(() => expect(hasChannel(cluster().nodes[0].layout.run)).resolves.toBe(true), { interval: 10 });
    const libvirtd = await target.libvirtdPid();
    process.kill(libvirtd, 'SIGSTOP');
    await sent(vmi).catch((error: unknown) => {
      process.kill(libvirtd, 'SIGCONT');
      throw error;
    });
    const { targetNodeAddress, targetDirectMigrationNodePorts = {} } =
      (await cluster().vmi('target-elsewhere')).status?.migrationState ?? {};
    // In this order: the agent is not to say any more what has become of the guest.
    const stopping = target.stop();
    process.kill(libvirtd, 'SIGKILL');
    await stopping;
    // Somebody else, who knows nothing of guests, was faster.
    const other = createServer((socket) => socket.destroy());
    other.listen(Number(Object.keys(targetDirectMigrationNodePorts)[0]), targetNodeAddress);
    await once(other, 'listening');
    try {
      await target.start();
      await stayed('target-elsewhere');
    } finally {
      other.close();
    }
    await expectOneGuest(vmi, 0);
  }, 60_000);
});

it('a guest that ends at its target before that could say that it has it is started again', async () => {
  const vmi = await startVm('short-lived');
  const failed = cluster().vmi('short-lived', ({ status }) => status?.phase === 'Failed');
  await handOver(vmi, B, SLOW);
  const [, target] = cluster().nodes;
  // Until then, the target asks the server whose guest it gets.
  await vi.waitFor(() => expect(hasChannel(target.layout.run, 'memory')).resolves.toBe(true), { interval: 10 });
  target.connection.cut();
  try {
    await vi.waitFor(async () => expect(await countsOf(vmi.metadata.uid)).toEqual([0, 1]), { timeout: 30_000 });
    for (const pid of await target.guests(vmi.metadata.uid)) process.kill(pid, 'SIGKILL');
    // Its agent has noticed that.
    await vi.waitFor(() => expect(stateOn(1, vmi)).rejects.toThrow('Domain not found'), { timeout: 30_000 });
  } finally {
    target.connection.mend();
  }
  expect((await failed).status?.migrationState).toMatchObject({ failed: true, failureReason: GUEST_ENDED });
  const next = await cluster().vmi(
    'short-lived',
    ({ metadata, status }) => metadata.uid !== vmi.metadata.uid && status?.phase === 'Running',
  );
  await expectOneGuest(next, 0);
}, 90_000);
