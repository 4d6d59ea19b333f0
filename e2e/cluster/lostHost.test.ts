import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { blocksOf } from '../docs/blocks.ts';
import { stepsOf } from '../docs/steps.ts';
import { kubectlFor } from '../kubectl.ts';
import { splitWords } from '../splitWords.ts';
import { runVireo, startVireo, type Vireo } from '../vireo.ts';
import { useVms } from '../vms/fixture.ts';
import { guestsOf, socketsOf } from '../vms/leftovers.ts';
import { type Role, startRole } from './role.ts';

const vms = useVms();
const READY = /^The node (\S+) is ready after .* reaches it at (\S+)$/m;
const second = (): string => join(vms.home(), 'second');
const other = (): string => join(vms.home(), 'other');
const asNode = (): string[] => ['--home', second(), '--node-name', 'second', '--port', '0'];

const vmi = (name: string): string => `
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: { name: ${name} }
spec:
  nodeSelector: { kubernetes.io/hostname: second }
  terminationGracePeriodSeconds: 0
  domain:
    memory: { guest: 16Mi }
    devices: { disks: [{ name: boot, disk: { bus: virtio } }] }
  volumes: [{ name: boot, containerDisk: { image: vireo/boot-sector } }]
---`;

/** The five commands below `## Losing the first host` in docs/cluster.md, each as its words behind `vireo`. */
const commands = (): string[][] =>
  blocksOf('docs/cluster.md')
    .filter(({ notes }) => notes.some(({ text }) => text === 'e2e/cluster/lostHost.test.ts'))
    .flatMap(stepsOf)
    .map(({ command }) => splitWords(command.replace(/ +#.*$/, '')).slice(1));
/** The words of a line with what the page made up replaced. */
const real = (words: readonly string[], made: Readonly<Record<string, string>>): string[] =>
  words.map((word) => made[word] ?? word);

let role: Role;
let server: Vireo | undefined;

const pids = async (): Promise<number[]> => (await guestsOf(second())).map(({ pid }) => pid).sort();
const run = async (name: string): Promise<void> => {
  await vms.create(vmi(name));
  await vms.kubectl.do(`wait vmi/${name} --for=jsonpath={.status.phase}=Running --timeout=90s`);
};

beforeAll(async () => {
  const line = (await vms.vireo('token create')).split(' ').slice(1);
  role = await startRole([...line, ...asNode()], READY);
});
afterAll(async () => {
  await role?.end();
  await server?.stop();
  for (const home of [second(), other()]) {
    await runVireo(['down', '--force', '--home', home]);
    await rm(socketsOf(home), { recursive: true, force: true });
  }
});

it('the first host is restored elsewhere, and the nodes connect to it with guests that ran all the while', async () => {
  const [restore = [], up = [], rejoin = [], list = [], confirm = [], ...rest] = commands();
  expect([up, rest]).toEqual([['up'], []]);
  const backup = join(vms.home(), 'of-first-host.backup');
  await run('kept');
  expect(await runVireo(['backup', '--home', vms.home(), backup])).toMatchObject({ code: 0 });
  await run('newer');
  const guests = await pids();
  expect(guests).toHaveLength(2);
  await vms.server().kill();

  const restored = await runVireo([...real(restore, { 'monday.backup': backup }), '--home', other()]);
  expect(restored.output).toMatch(/The backup has the nodes .*second.*\. Their guests go on\./);
  server = await startVireo({ home: other(), vms: true, options: ['--node-name', 'other'] });
  await role.end();
  role = await startRole([...real(rejoin, { '192.0.2.9:6443': `127.0.0.1:${server.port}` }), ...asNode()], READY);

  const kubectl = kubectlFor(server.kubeconfig, join(other(), 'kubectl-cache'));
  const shown = async (words: readonly string[]): Promise<string> =>
    (await runVireo([...words, '--kubeconfig', server?.kubeconfig ?? ''])).output;
  await kubectl.do('wait vmi/kept --for=jsonpath={.status.phase}=Running --timeout=90s');
  await kubectl.do('wait node/second --for=condition=Ready --timeout=90s');
  await vi.waitFor(async () => expect(await shown(list)).toMatch(/^second +default\/newer$/m), { timeout: 60_000 });
  expect(await shown(list)).toContain('No VM starts: the server was restored from a backup of ');
  expect(await pids()).toEqual(guests);

  const events = 'get events -A --field-selector reason=OrphanedGuests';
  await kubectl.until(events, /does not know these guests, which run here: default\/newer\./);
  await kubectl.do('apply -f -', { input: vmi('later') });
  await kubectl.until('get vmi later -o jsonpath={.status.conditions}', /"StartsHeld"/);

  expect(await shown([...list, '--stop', 'default/newer'])).toContain('Node second shuts down default/newer');
  await vi.waitFor(async () => expect(await pids()).toHaveLength(1), { timeout: 90_000 });
  expect(await shown(confirm)).toContain('VMs start again from now on.');
  await kubectl.do('wait vmi/later --for=jsonpath={.status.phase}=Running --timeout=90s');
}, 300_000);
