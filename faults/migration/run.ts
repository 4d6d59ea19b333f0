import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Persisted, Pod } from '@vireo/api';
import { ATTACHMENT_SELECTOR } from '@vireo/api/kinds/kubevirt/attachmentPod.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { planNetwork, planNodes } from '@vireo/cli/localNodes/plan.ts';
import { Client, httpTransport, loadKubeconfig } from '@vireo/kube';
import { nodeLayout } from '@vireo/node';
import { shareVolumes } from '../../e2e/cluster/sharedClass.ts';
import { runVireo } from '../../e2e/vireo.ts';
import { vm } from '../../e2e/vms/manifests.ts';
import { type Hosts, startHosts } from '../nodes/host.ts';
import { MIGRATION_FAULTS, type Scene } from './faults.ts';
import { SECTORS, WRITER } from './guest.ts';
import { beyondOne, type NodeLayout, type Place, remainsOn } from './places.ts';
import type { MigrationRound } from './plan.ts';
import { Witness } from './witness.ts';

const run = promisify(execFile);

/** The server with its own node, and two that guests move between. */
const NODES = 3;
/** Room for the image and a few guests, and little enough to be filled in a moment. */
const NODE_SIZE = '192m';
const NAME = 'writer';
const NAMESPACE = 'default';
/** An unreachable node is noticed after 50 seconds; a busy host takes its time. */
const PATIENCE_MS = 180_000;
const POLL_MS = 250;
/** Phases pass quickly. */
const MOMENT_MS = 30;
const FINAL = ['Succeeded', 'Failed'];

export interface MigrationFaultsOptions {
  readonly home: string;
  readonly rounds: readonly MigrationRound[];
  /** When no new round begins. */
  readonly deadlineMs: number;
  /** Ends the run; what it has started is removed. */
  readonly signal: AbortSignal;
}

type Vmi = Persisted<VirtualMachineInstance>;
type Migration = Persisted<VirtualMachineInstanceMigration>;

/** Runs the rounds; returns what went wrong, and how many rounds there were. */
export async function migrationFaults(
  options: MigrationFaultsOptions,
): Promise<{ rounds: number; problems: string[] }> {
  const { home } = options;
  const places = await prepareNodes(home);
  const hosts = await startHosts(home, NODES);
  const lane = new Lane(hosts, places, options.signal);
  try {
    await lane.open();
    return await lane.play(options);
  } finally {
    await lane.close();
    for (const { name } of places) {
      await hosts.cable(name, 'up').catch(() => {});
      await hosts.signalAgent(name, 'SIGCONT').catch(() => {});
    }
    await hosts.server().stop();
    await runVireo(['down', '--home', home, '--force']);
    for (const place of places) await run('umount', ['--lazy', place.home]).catch(() => {});
  }
}

/** Gives each further node a file system of its own, which can be filled, and the image of the guest. */
async function prepareNodes(home: string): Promise<Place[]> {
  const plan = planNodes(home, hostname().toLowerCase(), NODES, planNetwork(home, [], '0.0.0.0/24'));
  const places: Place[] = [];
  for (const { name, home: own, link } of plan) {
    await mkdir(own, { recursive: true, mode: 0o700 });
    await run('mount', ['-t', 'tmpfs', '-o', `size=${NODE_SIZE},mode=0700`, 'vireo-faults', own]);
    const image = join(own, 'images/test/writer');
    await mkdir(image, { recursive: true });
    await writeFile(join(image, 'disk.raw'), WRITER);
    places.push({ name, home: own, namespace: link?.namespace ?? '' });
  }
  return places;
}

/** On storage that all nodes have: a disk that the guest writes to, and one that is plugged in while it runs. */
const COMMON = 'common';
const PLUGGED = 'plugged';
const claim = (name: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteMany'], storageClassName: 'shared', resources: { requests: { storage: '8Mi' } } },
  });
const WRITER_VM = vm(NAME, {
  image: 'test/writer',
  graceSeconds: 0,
  volumes: [
    { name: COMMON, persistentVolumeClaim: { claimName: COMMON } },
    { name: PLUGGED, persistentVolumeClaim: { claimName: PLUGGED, hotpluggable: true } },
  ],
  devices: {
    disks: [
      { name: 'root', bootOrder: 1, disk: { bus: 'virtio' } },
      // SeaBIOS skips disks without an order.
      { name: COMMON, bootOrder: 2, disk: { bus: 'virtio' } },
      { name: PLUGGED, disk: { bus: 'scsi' } },
    ],
  },
  spec: { nodeSelector: { faults: 'yes' } },
});

class Lane {
  readonly #hosts: Hosts;
  readonly #places: readonly Place[];
  readonly #layouts: ReadonlyMap<string, NodeLayout>;
  readonly #witness: Witness;
  readonly #signal: AbortSignal;
  #client: Client | undefined;
  /** The directory that all nodes have. */
  #shared: string | undefined;

  constructor(hosts: Hosts, places: readonly Place[], signal: AbortSignal) {
    this.#signal = signal;
    this.#hosts = hosts;
    this.#places = places;
    this.#layouts = new Map(places.map(({ name, home }) => [name, nodeLayout(home, true)]));
    this.#witness = new Witness(this.#layouts);
  }

  async open(): Promise<void> {
    this.#client = new Client(httpTransport(await loadKubeconfig({ path: this.#hosts.server().kubeconfig })));
    const { kubectl } = this.#hosts;
    for (const { name } of this.#places) await kubectl.do(`label node ${name} faults=yes`);
    // So slow that faults come while the memory is copied.
    const configuration = { migrations: { bandwidthPerMigration: '1Mi' } };
    const patch = JSON.stringify({ spec: { configuration } });
    await kubectl.do(`patch kubevirt kubevirt -n kubevirt --type=merge -p '${patch}'`);
    // Not in the home, which guests do not get into.
    this.#shared = await mkdtemp(join(tmpdir(), 'vireo-faults-shared-'));
    await shareVolumes(kubectl, this.#shared, this.#hosts.nodes);
    await kubectl.do('apply -f -', { input: [claim(COMMON), claim(PLUGGED), WRITER_VM].join('\n') });
    this.#witness.start();
    const problem = await this.#settled([], undefined);
    if (problem) throw new Error(`the VM does not run: ${problem}`);
  }

  async close(): Promise<void> {
    await this.#witness.stop();
    await this.#client?.close();
    if (this.#shared) await rm(this.#shared, { recursive: true, force: true });
  }

  async play({ rounds, deadlineMs }: MigrationFaultsOptions): Promise<{ rounds: number; problems: string[] }> {
    console.log('round  seconds  migration  fault');
    let played = 0;
    for (const round of rounds) {
      if (Date.now() > deadlineMs || this.#signal.aborted) break;
      const startedAt = performance.now();
      const { result, problems } = await this.#round(round).catch((error: Error) => ({
        result: '?',
        problems: [error.message],
      }));
      problems.push(...this.#witness.problems());
      played += 1;
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      const when = `${round.fault}, ${round.delayMs} ms after ${round.phase}`;
      console.log(`${String(round.number).padStart(5)}  ${seconds.padStart(7)}  ${result.padEnd(9)}  ${when}`);
      if (problems.length > 0) {
        console.log(`The last output of the server:\n${this.#hosts.server().output().slice(-6000)}`);
        return { rounds: played, problems: problems.map((problem) => `round ${round.number} (${when}): ${problem}`) };
      }
    }
    return { rounds: played, problems: [] };
  }

  #wait(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.#signal });
  }

  get #api(): Client {
    if (!this.#client) throw new Error('the lane is not open');
    return this.#client;
  }

  async #round(round: MigrationRound): Promise<{ result: string; problems: string[] }> {
    const before = await this.#api.of(VirtualMachineInstance).get(NAME, { namespace: NAMESPACE });
    const source = before.status?.nodeName ?? '';
    const target = this.#places.find(({ name }) => name !== source)?.name ?? '';
    const { uid } = before.metadata;
    const created = await this.#api.of(VirtualMachineInstanceMigration).create({
      metadata: { generateName: `round-${round.number}-`, namespace: NAMESPACE },
      spec: { vmiName: NAME },
    });
    const migration = created.metadata.name;
    await this.#untilPhase(migration, round.phase);
    await this.#wait(round.delayMs);
    const scene: Scene = {
      hosts: this.#hosts,
      vm: NAME,
      uid,
      migration,
      source,
      target,
      layout: (node) => this.#layouts.get(node) ?? nodeLayout('', true),
      homeOf: (node) => this.#places.find(({ name }) => name === node)?.home ?? '',
      wait: () => this.#wait(round.lengthMs),
      untilPhase: (phase) =>
        this.#until(async () => (await this.#vmi())?.status?.phase === phase).then((late) => late === undefined),
    };
    const fault = MIGRATION_FAULTS[round.fault];
    if (!fault) throw new Error(`there is no fault ${round.fault}`);
    let last: Migration | undefined = created;
    await fault.run(scene);
    const late = await this.#settled([migration], (seen) => {
      last = seen ?? last;
    });
    const problems = late === undefined ? [] : [`not settled after ${PATIENCE_MS / 1000} s: ${late}`];
    const phase = last?.status?.phase ?? 'none';
    const { failureReason } = last?.status?.migrationState ?? {};
    if (phase === 'Failed' && !failureReason) problems.push('the migration has failed without a reason');
    if (failureReason) console.log(`       ${failureReason}`);
    const after = await this.#vmi();
    const hasMoved = this.#witness.seen.get(target)?.has(uid) ?? false;
    const mayEnd = fault.ends === 'anybody' || (fault.ends === 'target' && hasMoved);
    if (after && after.metadata.uid !== uid && !mayEnd) problems.push('the guest was started anew');
    for (const seen of this.#witness.seen.values()) seen.clear();
    return { result: phase, problems };
  }

  async #untilPhase(name: string, phase: string): Promise<void> {
    const way = ['', 'Pending', 'Scheduling', 'Scheduled', 'PreparingTarget', 'TargetReady', 'Running', ...FINAL];
    const deadline = performance.now() + PATIENCE_MS;
    while (performance.now() < deadline) {
      const seen = await this.#api.of(VirtualMachineInstanceMigration).find(name, { namespace: NAMESPACE });
      if (!seen || way.indexOf(seen.status?.phase ?? '') >= way.indexOf(phase)) return;
      await this.#wait(MOMENT_MS);
    }
    throw new Error(`migration ${name} is not ${phase} after ${PATIENCE_MS / 1000} s`);
  }

  async #vmi(): Promise<Vmi | undefined> {
    return this.#api.of(VirtualMachineInstance).find(NAME, { namespace: NAMESPACE });
  }

  /** Waits until all is as it should be; what is not when time is over. */
  async #settled(
    migrations: readonly string[],
    onMigration: ((seen: Migration | undefined) => void) | undefined,
  ): Promise<string | undefined> {
    const unsettled = await this.#until(async () => {
      for (const name of migrations) {
        const seen = await this.#api.of(VirtualMachineInstanceMigration).find(name, { namespace: NAMESPACE });
        onMigration?.(seen);
        const phase = seen?.status?.phase ?? '';
        if (seen && !FINAL.includes(phase)) return `migration ${name} is ${phase || 'new'}`;
      }
      return this.#unsettled();
    });
    if (unsettled !== undefined) return unsettled;
    // Every sector is read once more.
    const uid = (await this.#vmi())?.metadata.uid ?? '';
    const from = this.#witness.guests.get(uid)?.highest ?? -1;
    return this.#until(async () => {
      const now = this.#witness.guests.get(uid)?.highest ?? -1;
      return now > from + SECTORS || `the guest has counted from ${from} to ${now}`;
    });
  }

  /** What is not as it should be now: one guest, where its VMI says, and nothing elsewhere. */
  async #unsettled(): Promise<string | true> {
    const vmi = await this.#vmi();
    if (!vmi) return 'there is no VMI';
    const { phase, nodeName, conditions = [], migrationState } = vmi.status ?? {};
    if (vmi.metadata.deletionTimestamp) return 'the VMI is being deleted';
    if (phase !== 'Running') return `the VMI is ${phase}`;
    if (migrationState && !migrationState.endTimestamp) return 'the VMI says that it migrates';
    if (conditions.some(({ type, status }) => type === 'Paused' && status === 'True')) return 'the VMI is paused';
    const plugged = vmi.status?.volumeStatus?.find(({ name }) => name === PLUGGED);
    if (plugged?.phase !== 'Ready') return `volume ${PLUGGED} is ${plugged?.phase ?? 'not plugged in'}`;
    const { uid } = vmi.metadata;
    for (const [node, domains] of await this.#witness.executing()) {
      if (!domains) return `libvirt on ${node} does not answer`;
      const wanted = node === nodeName ? [uid] : [];
      if ([...domains].join() !== wanted.join())
        return `the VMI is on ${nodeName}, and on ${node} executes ${[...domains].join() || 'nothing'}`;
    }
    for (const place of this.#places) {
      const remains = await remainsOn(place);
      const strange = place.name === nodeName ? beyondOne(remains, uid) : remains;
      if (strange.length > 0) return `on ${place.name} is left: ${strange.join(', ')}`;
    }
    const { items } = await this.#api
      .of(Pod)
      .list({ namespace: NAMESPACE, labelSelector: 'kubevirt.io=virt-launcher' });
    // The target pod of a migration that has failed stays until the next one begins.
    const pods = items.filter(({ status }) => status?.phase !== 'Failed');
    if (pods.length !== 1)
      return `there are launchers ${items.map(({ metadata, status }) => `${metadata.name} (${status?.phase})`).join()}`;
    const attachments = await this.#api.of(Pod).list({ namespace: NAMESPACE, labelSelector: ATTACHMENT_SELECTOR });
    const holders = attachments.items.map(({ metadata, spec }) => `${metadata.name} on ${spec?.nodeName}`);
    if (holders.length !== 1 || attachments.items[0]?.spec?.nodeName !== nodeName)
      return `the plugged disk is held by ${holders.join() || 'nobody'}`;
    return true;
  }

  /** Asks until the answer is true; otherwise the last one. A server that is just away gives none. */
  async #until(ask: () => Promise<boolean | string>): Promise<string | undefined> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await ask().catch((error: Error) => error.message);
      if (answer === true) return undefined;
      if (performance.now() > deadline) return String(answer);
      await this.#wait(POLL_MS);
    }
  }
}
