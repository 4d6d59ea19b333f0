import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { nodeLayout } from '@vireo/node';
import { vmiFiles } from '@vireo/node/vmi/files.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed, vi } from 'vitest';
import { shareVolumes } from '../cluster/sharedClass.ts';
import { type Kubectl, kubectlFor } from '../kubectl.ts';
import { runVireo, startVireo, temporaryHome, typeVireo, type Vireo } from '../vireo.ts';
import { disc } from './discs.ts';
import { guestsOf } from './leftovers.ts';
import { linux } from './manifests.ts';

const isRoot = process.getuid?.() === 0;
/** How often the guest moves: `npm run specs` has it move, `npm test` does not, and `VIREO_TEST_MIGRATIONS` says how often. */
const MOVES = Number(process.env.VIREO_TEST_MIGRATIONS ?? (process.env.VIREO_TEST_SPECS === 'all' ? 10 : 0));
const FIRST = hostname().toLowerCase();
const SECOND = `${FIRST}-2`;
const PORT = 7000;
/** What a kernel says that gives up. */
const TROUBLE = /BUG:|Oops|general protection|Kernel panic|rcu: INFO|lockup/;

/** A guest that counts on its console, and sends back what comes by TCP. */
const userData = `#cloud-config
write_files:
  - path: /usr/local/bin/count
    permissions: "0755"
    content: |
      #!/bin/sh
      i=0
      while usleep 50000; do i=$((i+1)); echo "<$i>"; done
runcmd:
  - sh -c '/usr/local/bin/count >/dev/ttyS0 2>&1 &'
  - sh -c 'nc -ll -p ${PORT} -e cat >/dev/null 2>&1 &'
`;
const mover = linux(
  'mover',
  {},
  {
    memory: '192Mi',
    graceSeconds: 0,
    volumes: [
      { name: 'settings', cloudInitNoCloud: { userData } },
      { name: 'scratch', emptyDisk: { capacity: '64Mi' } },
      { name: 'extra', dataVolume: { name: 'extra' } },
      { name: 'metrics', downwardMetrics: {} },
    ],
    devices: {
      disks: [
        { name: 'root', disk: { bus: 'virtio' } },
        { name: 'scratch', disk: { bus: 'virtio' } },
        { name: 'extra', disk: { bus: 'virtio' } },
        { name: 'metrics', disk: { bus: 'virtio' } },
        { name: 'settings', cdrom: { bus: 'sata' } },
        { name: 'cd', cdrom: { bus: 'sata' } },
      ],
      interfaces: [{ name: 'default', masquerade: {} }],
      downwardMetrics: {},
    },
    spec: { networks: [{ name: 'default', pod: {} }] },
  },
);

/** A volume that all nodes have. */
const shared = (name: string, source: object): string =>
  JSON.stringify({
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name },
    spec: {
      source,
      storage: {
        storageClassName: 'shared',
        accessModes: ['ReadWriteMany'],
        resources: { requests: { storage: '16Mi' } },
      },
    },
  });

/** A claim of one node. */
const local = (name: string, node: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, annotations: { 'volume.kubernetes.io/selected-node': node } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'local',
      resources: { requests: { storage: '24Mi' } },
    },
  });

/** Sends numbers to a guest, one after the other, and notes which come back. */
class Conversation {
  readonly #socket: Socket;
  readonly #timer: NodeJS.Timeout;
  #received = '';
  #sent = 0;
  /** Why it has ended, if it has. */
  end: string | undefined;

  constructor(address: string) {
    this.#socket = connect(PORT, address);
    this.#socket.setNoDelay(true).setEncoding('utf8');
    this.#socket.on('data', (text: string) => {
      this.#received += text;
    });
    this.#socket.on('error', ({ message }) => {
      this.end = message;
    });
    this.#socket.on('close', () => {
      this.end ??= 'closed';
    });
    this.#timer = setInterval(() => this.#socket.write(`${++this.#sent}\n`), 50);
  }

  get sent(): number {
    return this.#sent;
  }

  get answers(): number[] {
    return this.#received.split('\n').slice(0, -1).map(Number);
  }

  /** Resolves when everything that was sent until now has come back. */
  async caughtUp(): Promise<void> {
    const until = this.#sent;
    // TCP waits longer after each packet that was lost while the guest moved.
    const hasEnded = () => this.end !== undefined || (this.answers.at(-1) ?? 0) >= until;
    await vi.waitFor(() => expect(hasEnded()).toBe(true), { timeout: 120_000, interval: 50 });
    expect(this.end).toBeUndefined();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#socket.destroy();
  }
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe.runIf(isRoot && MOVES > 0)('a Linux guest on two nodes', () => {
  let server: Vireo;
  let kubectl: Kubectl;
  let home: Awaited<ReturnType<typeof temporaryHome>>;
  let conversation: Conversation | undefined;
  let address = '';
  let uid = '';
  let sums = '';
  let moves = 0;
  const logs: FileHandle[] = [];

  const vireo = (command: string): Promise<string> => typeVireo(command, server.kubeconfig);
  const inGuest = async (script: string): Promise<string> =>
    (await runVireo(['exec', 'mover', '--kubeconfig', server.kubeconfig, '--', 'sh', '-c', script])).output.trim();
  const field = async (path: string): Promise<string> =>
    (await kubectl.run(`get vmi mover -o "jsonpath={${path}}"`)).stdout;
  const vmi = (condition: string): Promise<void> => kubectl.do(`wait vmi/mover --for=${condition} --timeout=180s`);
  /** What the guest has written, and what is in its drives, read from the disks themselves. */
  const checksums = (): Promise<string> =>
    // The agent of a guest that has just come may need a moment.
    vi.waitFor(
      async () => {
        const text = await inGuest(
          'sync; echo 3 >/proc/sys/vm/drop_caches; md5sum /root/data /dev/vdb /dev/vdc /dev/sr0 /dev/sr1',
        );
        expect(text.split('\n')).toHaveLength(5);
        return text;
      },
      { timeout: 60_000, interval: 1_000 },
    );

  /** The console's log on the node of the guest. It is read to its end even when the node has removed it. */
  async function openLog(): Promise<void> {
    const node = await field('.status.nodeName');
    const layout = nodeLayout(node === FIRST ? home.home : join(home.home, 'nodes', node), true);
    logs.push(await open(vmiFiles(layout, uid).serialLog));
  }

  /** What the guest has written to its console on each of the nodes. */
  const written = (): Promise<string[]> =>
    Promise.all(
      logs.map(async (log) => {
        const { size } = await log.stat();
        const { buffer } = await log.read(Buffer.alloc(size), 0, size, 0);
        return buffer.toString('latin1');
      }),
    );

  /** What the guest has counted in each of the logs. */
  async function counted(): Promise<number[][]> {
    return (await written()).map((text) => [...text.matchAll(/<(\d+)>/g)].map(([, number]) => Number(number)));
  }

  // A guest whose kernel gives up starts anew, and looks well.
  beforeEach(() =>
    onTestFailed(async () => {
      for (const text of await written()) console.error(text.slice(Math.max(0, text.search(TROUBLE))).slice(0, 8_000));
    }),
  );

  /** Moves the guest to the other node; resolves when the migration has succeeded, with the node. */
  async function move(): Promise<string> {
    const from = await field('.status.nodeName');
    const name = `move-${++moves}`;
    const migration = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { name },
      spec: { vmiName: 'mover' },
    };
    await kubectl.do('create -f -', { input: JSON.stringify(migration) });
    await kubectl.until(`get vmim ${name} -o jsonpath={.status.phase}`, /Succeeded|Failed/);
    expect(await field('.status.migrationState.failureReason')).toBe('');
    const to = from === FIRST ? SECOND : FIRST;
    expect(await field('.status.nodeName')).toBe(to);
    await openLog();
    return to;
  }

  beforeAll(async () => {
    home = await temporaryHome();
    server = await startVireo({ home: home.home, vms: true, options: ['--nodes', '2'] });
    kubectl = kubectlFor(server.kubeconfig, join(home.home, 'kubectl-cache'));
    const gate = { spec: { configuration: { developerConfiguration: { featureGates: ['DownwardMetrics'] } } } };
    await kubectl.do(`patch kubevirt kubevirt -n kubevirt --type=merge -p '${JSON.stringify(gate)}'`);
    await kubectl.do('apply -f -', { input: mover });
    // While it boots.
    const directory = await temporaryHome();
    sharedDirectory = directory;
    await shareVolumes(kubectl, directory.home, [FIRST, SECOND]);
    await kubectl.do('apply -f -', { input: `${shared('hello', { upload: {} })}\n${shared('extra', { blank: {} })}` });
    const iso = join(home.home, 'hello.iso');
    await writeFile(iso, disc('hello from a disc'));
    await kubectl.until('get dv hello -o jsonpath={.status.phase}', 'UploadReady');
    expect(await vireo(`image-upload dv hello --no-create --image-path ${iso}`)).not.toContain('exit code');
    await vmi('condition=AgentConnected');
    expect(await vireo('cdrom inject mover --volume-name=cd --claim-name=hello --wait')).not.toContain('exit code');
    await inGuest('for to in /root/data /dev/vdb /dev/vdc; do dd if=/dev/urandom of=$to bs=64k count=40; done; sync');
    // The first look into a drive after a change fails: that is how the guest notices.
    await inGuest('until dd if=/dev/sr1 of=/dev/null count=1; do usleep 200000; done');
    sums = await checksums();
    address = await field('.status.interfaces[0].ipAddress');
    uid = await field('.metadata.uid');
    await openLog();
  }, 300_000);
  let sharedDirectory: typeof home | undefined;
  afterAll(async () => {
    conversation?.stop();
    for (const log of logs) await log.close();
    await server?.stop();
    await runVireo(['down', '--home', home.home, '--force']);
    await home?.remove();
    await sharedDirectory?.remove();
  }, 60_000);

  it('moves to and fro and loses no number of its console and no connection', async () => {
    expect(sums.split('\n')).toHaveLength(5);
    await vmi('condition=LiveMigratable');
    await vi.waitFor(async () => expect((await counted()).flat().length).toBeGreaterThan(0), { timeout: 30_000 });
    conversation = new Conversation(address);
    await conversation.caughtUp();
    for (let moved = 0; moved < MOVES; moved++) {
      await move();
      await conversation.caughtUp();
    }
    expect(conversation.end).toBeUndefined();
    const { answers } = conversation;
    expect(answers).toEqual(range(1, answers.length));
    // In each of the logs, or the guest would not have counted on each of the nodes.
    const hasCounted = async () => (await counted()).map((each) => each.length > 0);
    await vi.waitFor(async () => expect(await hasCounted()).toEqual(logs.map(() => true)), { timeout: 30_000 });
    const numbers = await counted();
    const last = Math.max(...numbers.flat());
    expect([...new Set(numbers.flat())].sort((a, b) => a - b)).toEqual(range(1, last));
    for (const each of numbers) expect(each).toEqual(range(each[0] ?? 0, each.at(-1) ?? -1));
    expect(await guestsOf(home.home)).toHaveLength(1);
  }, 600_000);

  it('keeps its address, its discs and what it wrote', async () => {
    expect(await field('.status.interfaces[0].ipAddress')).toBe(address);
    expect(await inGuest('ip -4 addr show dev eth0')).toContain(`inet ${address}/`);
    expect(await checksums()).toBe(sums);
    expect(await inGuest('mount -o ro /dev/sr1 /mnt && cat /mnt/hello.txt; umount /mnt')).toBe('hello from a disc');
  }, 60_000);

  it('is told of the node that it is on, on its disk and on its port', async () => {
    const node = await field('.status.nodeName');
    const host = new RegExp(`<name>HostName</name>\\s*<value>${node}</value>`);
    const disk = 'echo 3 > /proc/sys/vm/drop_caches; dd if=/dev/vdd bs=4k count=4 2>/dev/null | tr -d "\\000"';
    await vi.waitFor(async () => expect(await inGuest(disk)).toMatch(host), { timeout: 30_000, interval: 1_000 });
    const port = `
      name=$(grep -l org.github.vhostmd.1 /sys/class/virtio-ports/*/name)
      exec 3<>/dev/$(basename $(dirname $name))
      printf 'GET /metrics/XML\\n\\n' >&3
      while read -r line <&3 && [ "$line" ]; do echo "$line"; done`;
    expect(await inGuest(port)).toMatch(host);
  }, 60_000);

  it('stays paused when it moves, and goes on when it is told to', async () => {
    await vireo('pause vmi mover');
    await vmi('condition=Paused');
    await move();
    expect(await field(".status.conditions[?(@.type=='Paused')].status")).toBe('True');
    const highest = async (): Promise<number> => Math.max(...(await counted()).flat());
    const before = await highest();
    await vireo('unpause vmi mover');
    await vi.waitFor(async () => expect(await highest()).toBeGreaterThan(before), { timeout: 30_000 });
    await conversation?.caughtUp();
    expect(conversation?.end).toBeUndefined();
  }, 120_000);

  it('takes the data of a disk along to another claim, which only one node has', async () => {
    const from = await field('.status.nodeName');
    const node = from === FIRST ? SECOND : FIRST;
    // Larger than the disk, as claims of other classes often are.
    await kubectl.do('apply -f -', { input: local('extra-local', node) });
    const volume = { name: 'extra', persistentVolumeClaim: { claimName: 'extra-local' } };
    const { stdout } = await kubectl.run('get vm mover -o jsonpath={.spec.template.spec.volumes[*].name}');
    const at = `/spec/template/spec/volumes/${stdout.split(' ').indexOf('extra')}`;
    const patch = [
      { op: 'add', path: '/spec/updateVolumesStrategy', value: 'Migration' },
      { op: 'replace', path: at, value: volume },
    ];
    await kubectl.do(`patch vm mover --type=json -p '${JSON.stringify(patch)}'`);
    await kubectl.until('get vmi mover -o jsonpath={.status.nodeName}', node);
    await kubectl.until('get vm mover -o jsonpath={.status.volumeUpdateState}', /^$/);
    expect(await checksums()).toBe(sums);
    expect(await inGuest('blockdev --getsize64 /dev/vdc')).toBe(String(16 << 20));
    expect(await field(".status.volumeStatus[?(@.name=='extra')].persistentVolumeClaimInfo.claimName")).toBe(
      'extra-local',
    );
    expect(await field(".status.conditions[?(@.type=='LiveMigratable')].reason")).toBe('DisksNotLiveMigratable');
    const conditions = (await kubectl.run('get vm mover -o jsonpath={.status.conditions[*].type}')).stdout.split(' ');
    expect(conditions).not.toContain('RestartRequired');
    expect(conditions).not.toContain('VolumesChange');
    // The disk cannot become as large as its claim while the guest runs, and the rest of its status goes on.
    await vireo('pause vmi mover');
    await vmi('condition=Paused');
    await vireo('unpause vmi mover');
    await kubectl.until(`get vmi mover -o "jsonpath={.status.conditions[?(@.type=='Paused')].status}"`, /^$/);
    // Nobody has the claim that it has left.
    await kubectl.do('delete dv extra --wait=false');
    await kubectl.until('get pvc extra --ignore-not-found -o name', /^$/);
    await conversation?.caughtUp();
    expect(conversation?.end).toBeUndefined();
  }, 180_000);

  it('is not said to be deleted by the node that it has left', async () => {
    const events = await kubectl(
      'get events --field-selector involvedObject.name=mover -o "jsonpath={.items[*].reason}"',
    );
    expect(events).toContain('Migrated');
    expect(events).not.toContain('Deleted');
  });
});
