import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ground } from '../ground.ts';
import type { Trial } from '../part.ts';
import { attackAs, type Outcome } from './attacker.ts';
import { differences, identityOf } from './identity.ts';
import {
  abstractSockets,
  hostTargets,
  type Port,
  placesOf,
  portsOf,
  processesOf,
  processTargets,
  userOf,
} from './inventory.ts';
import type { Machine } from './machines.ts';
import { ownOf } from './own.ts';
import { missing, type Reached, type Target, unexpected } from './targets.ts';

/** A user that has nothing to do with Vireo. */
const NOBODY = 65_534;

/** Where a round happens. */
export interface Scene {
  readonly ground: Ground;
  /** The place for temporary files of the server and its guests. */
  readonly temporary: string;
  /** A directory that every user can come through. */
  readonly open: string;
}

/** Tries everything as a machine's QEMU, and as somebody who has nothing to do with it. */
export async function attackFromGuest(scene: Scene, machines: readonly Machine[], trial: Trial): Promise<void> {
  const [machine] = machines;
  if (!machine) throw new Error('no machine to attack from');
  const { ground, temporary } = scene;
  const ours = await processesOf(ground);
  const ports = await portsOf(ours);
  const targets = [
    ...(await placesOf(ground, machine, temporary)),
    ...(await processTargets(ours)),
    ...(await hostTargets(machines)),
    ...(await abstractSockets()),
    ...ports.map(portTarget),
  ];
  const setuid = await setuidProgram(scene.open);
  const attempts = [...targets, { verb: 'run', words: [setuid, '-u'] }];
  const attack = await attackAs(machine.pid, attempts, { scratch: [machine.own, scene.open, '/tmp'] });
  const control = await attackAs(machine.pid, attempts, { scratch: ['/tmp'], user: NOBODY });

  for (const difference of differences(await identityOf(machine.pid), attack.identity))
    trial.check(`the attacker is not quite the guest's QEMU: ${difference}`);
  const own = await ownOf(machine, await ownProcesses(targets, machine));
  const [reached, everybody] = [attack, control].map(({ outcomes }) => reachedOf(targets, outcomes, ours));
  for (const problem of missing(reached ?? [], own)) trial.check(`the attacker ${problem}, so it shows nothing`);
  report(targets, unexpected(reached ?? [], own, everybody ?? []), 'a guest', trial);
  report(targets, unexpected(everybody ?? [], [], everybody ?? []), 'any user of the host', trial);
  await checkPorts(ground, ports, machine, trial);
  checkSetuid(attack.outcomes.at(-1), control.outcomes.at(-1), machine, trial);
}

/** Counts every target, and says what was reached. */
function report(targets: readonly Target[], found: readonly Reached[], who: string, trial: Trial): void {
  const problems = new Map(found.map(({ target, ways }) => [target, ways]));
  for (const target of targets) {
    const ways = problems.get(target);
    trial.check(ways && `${who} that has broken out can ${ways.join(', ')}: ${target.name} (${target.what})`);
  }
}

export function reachedOf(
  targets: readonly Target[],
  outcomes: readonly Outcome[],
  ours: ReadonlySet<number>,
): Reached[] {
  return targets.flatMap((target, index) => {
    const outcome = outcomes[index] ?? new Map();
    // At a name without a file anybody may wait: it counts if one of ours does.
    const [peer] = target.verb === 'abstract' ? (outcome.get('connect') ?? []) : [];
    const isOurs = peer !== undefined && ours.has(Number(peer));
    return outcome.size > 0 && target.verb !== 'port'
      ? [{ target: isOurs ? { ...target, isHosts: false } : target, ways: [...outcome.keys()] }]
      : [];
  });
}

async function ownProcesses(targets: readonly Target[], { user }: Machine): Promise<string[]> {
  const processes = targets.filter(({ verb }) => verb === 'process');
  const owners = await Promise.all(processes.map(({ words }) => userOf(words[0] ?? '')));
  return processes.filter((_, index) => owners[index] === user).map(({ name }) => name);
}

const portTarget = ({ protocol, port }: Port): Target => ({
  verb: 'port',
  words: [protocol, String(port)],
  name: `${protocol} port ${port}`,
  what: 'host',
  isHosts: false,
});

/** DHCP and DNS, at addresses of the guests' network: they are there for guests. */
const FOR_GUESTS = ['udp 67', 'udp 547', 'udp 53', 'tcp 53'];
const FOR_EVERYBODY = ['/healthz', '/livez', '/readyz', '/version'];
const NOT_FOR_EVERYBODY = [
  '/api/v1/secrets',
  '/api/v1/nodes',
  '/apis/kubevirt.io/v1/virtualmachineinstances',
  '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachineinstances/x/vnc',
  '/metrics',
  '/logs',
  '/debug/pprof',
];

/** A guest that gets to the ports of its host's loopback address has no credentials for what is there. */
async function checkPorts(ground: Ground, ports: readonly Port[], machine: Machine, trial: Trial): Promise<void> {
  for (const { protocol, port, pid } of ports) {
    if ((await userOf(pid)) === machine.user) continue;
    const isApi = protocol === 'tcp' && port === ground.port;
    const isForGuests = FOR_GUESTS.includes(`${protocol} ${port}`);
    trial.check(
      isApi || isForGuests
        ? undefined
        : `a guest reaches ${protocol} port ${port}, at which process ${pid} of Vireo waits`,
    );
  }
  trial.check(ports.some(({ port }) => port === ground.port) ? undefined : 'the port of the API was not found');
  const wire = ground.wire({ ca: ground.ca });
  for (const path of NOT_FOR_EVERYBODY) {
    const { status } = await wire.send({ method: 'GET', path });
    trial.check([401, 403].includes(status) ? undefined : `GET ${path} without credentials gets ${status}`);
  }
  for (const path of FOR_EVERYBODY) {
    const { status } = await wire.send({ method: 'GET', path });
    trial.check(status === 200 ? undefined : `GET ${path} gets ${status}: the port is not that of the API`);
  }
}

/** A program that runs as root whoever starts it, and says as whom it runs. */
async function setuidProgram(directory: string): Promise<string> {
  const path = join(directory, 'id');
  await copyFile('/usr/bin/id', path);
  await chmod(path, 0o4755);
  return path;
}

function checkSetuid(
  outcome: Outcome | undefined,
  control: Outcome | undefined,
  { user }: Machine,
  trial: Trial,
): void {
  const [, uid] = outcome?.get('said') ?? [];
  trial.check(uid === String(user) ? undefined : `a setuid program of the host runs as ${uid} for a guest`);
  const [, usual] = control?.get('said') ?? [];
  if (usual !== '0') trial.note('setuid programs: the file system does not allow them to anybody');
}
