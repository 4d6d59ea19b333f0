import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { Client, type Draft, httpTransport, loadKubeconfig } from '@vireo/kube';
import { bootSectorMarker, type NodeLayout, nodeLayout } from '@vireo/node';
import { readClaims } from '@vireo/node/cpus/claims.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest';
import { runVireo, startVireo, temporaryHome, type Vireo } from '../vireo.ts';
import { end, processesWith } from '../vms/leftovers.ts';
import { Specs } from './specs.ts';

const run = promisify(execFile);

/** Nothing is set before a test. */
const CONFIGURATION = { migrations: null, evictionStrategy: null };
export const FIRST = hostname().toLowerCase();
export const SECOND = `${FIRST}-2`;

/** The nodes of the specs with guests. */
export interface Guests {
  readonly specs: () => Specs;
  /** Runs `virsh …` on the node that a guest is on. */
  virsh(vmi: Vmi, ...words: string[]): Promise<string>;
  /** The libvirtd of a node. */
  libvirtdPid(node: string): Promise<number>;
  /** The processes of the agent of the second node, and of its guests. */
  second(): Promise<{ readonly agents: readonly number[]; readonly guests: readonly number[] }>;
  /** The user that the only QEMU of a guest runs as. */
  emulatorUser(vmi: Vmi): Promise<number>;
  /** The CPUs that the node of a guest has given it alone. */
  dedicatedCpus(vmi: Vmi): Promise<readonly number[]>;
  /** Runs a script in a Linux guest; its output. */
  inGuest(vmi: Vmi, script: string): Promise<string>;
  /** Waits until a guest has printed something on its serial console. */
  untilPrinted(vmi: Vmi, text: string): Promise<void>;
}

/** `vireo up --nodes 2`, with libvirt and QEMU, for the tests of one file. */
export function useGuests(): Guests {
  let home = '';
  let server: Vireo | undefined;
  let current: Specs | undefined;
  let remove: (() => Promise<void>) | undefined;
  vi.setConfig({ testTimeout: 900_000, hookTimeout: 300_000 });
  const specs = (): Specs => {
    if (!current) throw new Error('the server runs only while tests do');
    return current;
  };
  beforeAll(async () => {
    ({ home, remove } = await temporaryHome());
    server = await startVireo({ home, vms: true, options: ['--nodes', '2'] });
    const { kubeconfig } = server;
    current = new Specs(
      new Client(httpTransport(await loadKubeconfig({ path: kubeconfig }))),
      kubeconfig,
      join(home, 'kubectl-cache'),
    );
  });
  beforeEach(() => specs().begin(CONFIGURATION));
  afterEach(async () => {
    await specs().end();
    for (const node of [FIRST, SECOND]) await specs().patchNode(node, { spec: { taints: null, unschedulable: null } });
  });
  afterAll(async () => {
    await current?.client.close();
    await server?.stop();
    await runVireo(['down', '--home', home, '--force']);
    await remove?.();
  });
  const homeOf = (node: string): string => (node === FIRST ? home : join(home, 'nodes', node));
  const layoutOf = (node: string): NodeLayout => nodeLayout(homeOf(node), process.getuid?.() === 0);
  const libvirtds = async (node: string) =>
    (await processesWith(join(homeOf(node), 'libvirt'))).filter(({ command }) => command[0]?.endsWith('libvirtd'));
  return {
    specs,
    async virsh({ metadata }, ...words) {
      const { nodeName = '' } = (await specs().vmi(metadata.name)).status ?? {};
      const uri = `qemu:///system?socket=${layoutOf(nodeName).libvirtSocket}`;
      return (await run('virsh', ['--quiet', '-c', uri, ...words])).stdout;
    },
    async libvirtdPid(node) {
      const found = await libvirtds(node);
      // The home of the first node has that of the second below it.
      return found.find(({ command }) => command.some((word) => word.includes(layoutOf(node).libvirt)))?.pid ?? 0;
    },
    async second() {
      const all = await processesWith(homeOf(SECOND));
      const isAgent = (command: readonly string[]): boolean =>
        command[0]?.endsWith('node') === true &&
        command.includes('node') &&
        command.some((word) => word.endsWith('.ts'));
      return {
        agents: all.filter(({ command }) => isAgent(command)).map(({ pid }) => pid),
        guests: all.filter(({ command }) => command[0]?.includes('qemu-system')).map(({ pid }) => pid),
      };
    },
    emulatorUser: ({ metadata }) =>
      specs().until(async () => {
        const found = (await processesWith(metadata.uid)).filter(({ command }) => command[0]?.includes('qemu-system'));
        expect(found).toHaveLength(1);
        return (await stat(`/proc/${found[0]?.pid}`)).uid;
      }),
    async dedicatedCpus({ metadata, status }) {
      const claims = await readClaims(join(homeOf(status?.nodeName ?? ''), 'cpus.json'));
      return claims.get(metadata.uid)?.cpus ?? [];
    },
    async inGuest({ metadata }, script) {
      const words = ['exec', metadata.name, '-n', specs().namespace, '--kubeconfig', specs().kubeconfig];
      return (await runVireo([...words, '--', 'sh', '-c', script])).output.trim();
    },
    async untilPrinted(vmi, text) {
      const { metadata } = await specs().launcher(vmi);
      await specs().until(async () => {
        const { stdout } = await specs().kubectl.run(`logs ${metadata.name} -n ${specs().namespace} --tail=-1`);
        expect(stdout).toContain(text);
      });
    },
  };
}

export { end };

/** What a guest has more than its root disk. */
export interface GuestOptions {
  readonly image?: string;
  readonly memory?: string;
  readonly cache?: string;
  readonly disks?: readonly object[];
  readonly volumes?: readonly object[];
  readonly devices?: object;
  readonly spec?: object;
  readonly metadata?: object;
}

/** A guest of 512 bytes, where KubeVirt's spec has an Alpine: it boots at once, and says so on its console. */
export const small = (name: string, options: GuestOptions = {}): Draft<Vmi> => {
  const { image = 'vireo/boot-sector', memory = '32Mi', cache, disks = [], volumes = [] } = options;
  const spec = {
    terminationGracePeriodSeconds: 0,
    domain: {
      memory: { guest: memory },
      devices: {
        disks: [{ name: 'disk0', disk: { bus: 'virtio' }, ...(cache && { cache }) }, ...disks],
        interfaces: [{ name: 'default', masquerade: {} }],
        ...options.devices,
      },
    },
    networks: [{ name: 'default', pod: {} }],
    volumes: [{ name: 'disk0', containerDisk: { image } }, ...volumes],
    ...options.spec,
  } as Vmi['spec'];
  return { metadata: { name, ...options.metadata }, spec };
};

/** What `small` prints. */
export const BOOTED = bootSectorMarker;

/** The small Linux that Vireo builds, with a guest agent, where KubeVirt's spec has a Fedora. */
export const linux = (name: string, options: GuestOptions = {}): Draft<Vmi> =>
  small(name, {
    image: 'vireo/guest',
    memory: '256Mi',
    ...options,
    devices: { rng: {}, ...options.devices },
    disks: [...(options.disks ?? []), { name: 'settings', cdrom: { bus: 'sata' } }],
    volumes: [...(options.volumes ?? []), { name: 'settings', cloudInitNoCloud: { userData: '#cloud-config\n' } }],
  });

/** Has a Linux guest write to so much of its memory, again and again, until it ends. */
export const stress = (megabytes: number): string => `
  mkdir -p /run/stress && mount -t tmpfs -o size=${megabytes + 8}m none /run/stress
  dd if=/dev/urandom of=/run/stress/random bs=1M count=4
  setsid sh -c 'while :; do i=4; while [ $i -lt ${megabytes} ]; do cat /run/stress/random >/run/stress/$i; i=$((i+4)); done; done' >/dev/null 2>&1 &
`;

/** Has a guest begin on a node, and move to any other. */
export const prefer = (node: string) => ({
  nodeAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        preference: { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
      },
    ],
  },
});
