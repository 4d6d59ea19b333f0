import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClusterRoles, startRoles } from '../../e2e/cluster/roles.ts';
import type { Instance } from '../../e2e/cluster/whole.ts';
import { program, startVireo } from '../../e2e/vireo.ts';
import { guestsOf } from '../../e2e/vms/leftovers.ts';
import { vm } from '../../e2e/vms/manifests.ts';
import { Doubles } from '../doubles.ts';
import type { Checkout } from './checkout.ts';
import { Requests } from './requests.ts';

const VMS = ['vm-0', 'vm-1', 'vm-2'];
const RUNNING = '--for=jsonpath={.status.printableStatus}=Running --timeout=300s';

type Step = readonly [name: string, run: (roles: ClusterRoles) => Promise<unknown>];

/** The order of docs/cluster.md: what is installed, controllers, extension, nodes. */
const STEPS: readonly Step[] = [
  ['vireo install --upgrade', (roles) => succeed(roles, 'install --upgrade')],
  ['the controllers', (roles) => replaceEach(roles.controllers)],
  ['the extension', (roles) => replaceEach(roles.extensions)],
  [
    'the nodes',
    async (roles) => {
      for (const node of [...roles.nodes]) {
        await node.end('SIGTERM');
        await roles.restartNode(node);
      }
    },
  ],
  ['all of it is available', (roles) => succeed(roles, 'install --wait')],
];

/** Replaces the roles of an older version one after the other while guests run; returns what went wrong. */
export async function upgradeRoles(home: string, older: Checkout): Promise<string[]> {
  // It stands for any Kubernetes, and is not upgraded.
  const server = await startVireo({ home: join(home, 'server') });
  const directory = join(home, 'roles');
  await mkdir(directory);
  const { kubeconfig, port } = server;
  const uploadUrl = `https://127.0.0.1:${port}`;
  let roles: ClusterRoles | undefined;
  const requests = new Requests(kubeconfig, VMS);
  const doubles = new Doubles(home);
  const problems: string[] = [];
  try {
    roles = await startRoles({ kubeconfig, directory, uploadUrl, command: older.command });
    const { kubectl } = roles;
    await kubectl.do('apply -f -', { input: VMS.map((name) => vm(name)).join('\n') });
    await kubectl.do(`wait ${VMS.map((name) => `vm/${name}`).join(' ')} ${RUNNING}`);
    const guests = async (): Promise<string> =>
      (await guestsOf(home))
        .map(({ pid }) => pid)
        .sort()
        .join();
    const before = await guests();
    doubles.start();
    requests.start();
    roles.use(program);
    for (const [name, run] of STEPS) {
      const startedAt = performance.now();
      const { made } = requests;
      const found = await run(roles).then(
        (): string[] => [],
        (error: Error) => [error.message],
      );
      found.push(...requests.problems(), ...doubles.problems());
      if ((await guests()) !== before) found.push('the guests are other processes than before');
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      const repeated = requests.repeated();
      const counts = `${requests.made - made} requests, ${repeated.length} sent again`;
      console.log(`${found.length === 0 ? 'ok  ' : 'FAIL'} ${String(seconds).padStart(4)} s  ${name}: ${counts}`);
      for (const reason of repeated) console.log(`             ${reason}`);
      problems.push(...found.map((problem) => `${name}: ${problem}`));
      if (found.length > 0) break;
    }
    await Promise.all([requests.stop(), doubles.stop()]);
    if (problems.length === 0) problems.push(...(await changeVms(roles)));
    return problems;
  } finally {
    await Promise.all([requests.stop(), doubles.stop()]);
    await roles?.close();
    await server.kill();
  }
}

/** The new version does its work on VMs of the old one: they stop, start and go. */
async function changeVms(roles: ClusterRoles): Promise<string[]> {
  try {
    await succeed(roles, 'restart vm-0 --force --grace-period 0');
    await succeed(roles, 'stop vm-1 --force --grace-period 0');
    await roles.kubectl.do('wait vm/vm-1 --for=jsonpath={.status.printableStatus}=Stopped --timeout=300s');
    await succeed(roles, 'start vm-1');
    await roles.kubectl.do('apply -f -', { input: vm('newer') });
    await roles.kubectl.do(`wait vm/vm-0 vm/vm-1 vm/newer ${RUNNING}`);
    await roles.kubectl.do('delete vm --all --grace-period=0 --force --timeout=300s');
    return [];
  } catch (error) {
    return [`afterwards: ${(error as Error).message}`];
  }
}

async function replaceEach(all: readonly Instance[]): Promise<void> {
  for (const instance of all) {
    await instance.role.end('SIGTERM');
    instance.role = await instance.start();
  }
}

async function succeed(roles: ClusterRoles, line: string): Promise<void> {
  const output = await roles.vireo(line);
  if (/(^|\n)exit code \d+$/.test(output)) throw new Error(`vireo ${line}: ${output}`);
}
