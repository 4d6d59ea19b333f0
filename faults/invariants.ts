import { Pod } from '@vireo/api';
import { connect } from '@vireo/libvirt';
import { nodeLayout } from '@vireo/node';
import { guestsOf } from '../e2e/machines/leftovers.ts';
import type { Fact, Ledger } from './ledger.ts';
import {
  at,
  NAMESPACE,
  SET,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceReplicaSet,
} from './objects.ts';
import type { World } from './world.ts';

/** Everything of the storm that the server has, and what runs on the host. */
export interface Scene {
  readonly machines: readonly VirtualMachine[];
  readonly instances: readonly VirtualMachineInstance[];
  readonly pods: readonly Pod[];
  readonly set: VirtualMachineInstanceReplicaSet | undefined;
  /** Names of the domains that libvirt has; undefined where nothing runs guests. */
  readonly domains: readonly string[] | undefined;
  /** How many QEMU processes there are. */
  readonly guests: number;
}

export async function lookAround({ client, home, ground }: World): Promise<Scene> {
  const [machines, instances, pods, sets] = await Promise.all([
    client.of(VirtualMachine).list(at),
    client.of(VirtualMachineInstance).list(at),
    client.of(Pod).list(at),
    client.of(VirtualMachineInstanceReplicaSet).list(at),
  ]);
  return {
    machines: machines.items,
    instances: instances.items,
    pods: pods.items,
    set: sets.items[0],
    domains: ground === 'real' ? await domainsOf(home) : undefined,
    guests: (await guestsOf(home)).length,
  };
}

async function domainsOf(home: string): Promise<string[]> {
  const { libvirtSocket, uri } = nodeLayout(home, process.getuid?.() === 0);
  const libvirt = await connect({ socket: libvirtSocket, uri });
  try {
    return (await libvirt.listDomains()).map(({ name }) => name);
  } finally {
    await libvirt.close();
  }
}

/** Nothing that was acknowledged is lost. Afterwards the ledger has what the server has. */
export function acknowledged({ machines, set }: Scene, ledger: Ledger): string[] {
  const found = new Map<string, Fact>(
    machines
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, spec }) => [metadata.name ?? '', { exists: true, runs: spec.runStrategy === 'Always' }]),
  );
  if (set) found.set(SET, { exists: true, replicas: set.spec.replicas ?? 1 });
  return ledger.names().flatMap((name) => {
    const fact = found.get(name) ?? { exists: false };
    const problems = ledger.contradictions(name, fact);
    ledger.learn(name, fact);
    return problems;
  });
}

/** What is not yet as it should be; empty once everything has come to rest. */
export function unrest(scene: Scene): string[] {
  const phases = new Map(scene.instances.map((each) => [each.metadata.name ?? '', each.status?.phase ?? 'none']));
  const problems = scene.machines.flatMap(({ metadata, spec, status }) => {
    const [name, phase, says] = [metadata.name ?? '', phases.get(metadata.name ?? ''), status?.printableStatus];
    if (metadata.deletionTimestamp !== undefined) return [`${name} is still being deleted`];
    const wanted = spec.runStrategy === 'Always' ? ['Running'] : ['Stopped'];
    // A guest that was killed several times waits before it is started again, and says so.
    if (wanted[0] === 'Running' && says === 'CrashLoopBackOff') return [];
    const isThere = wanted[0] === 'Running' ? phase === 'Running' : phase === undefined;
    return says === wanted[0] && isThere
      ? []
      : [`${name} should be ${wanted[0]}: says ${says}, its instance ${phase}${reasonOf(status)}`];
  });
  const replicas = scene.instances.filter(({ metadata }) => metadata.labels?.set === SET);
  const wanted = scene.set?.spec.replicas ?? 0;
  const running = replicas.filter(({ status }) => status?.phase === 'Running').length;
  if (replicas.length !== wanted || running !== wanted)
    problems.push(`${SET} should have ${wanted}: there are ${replicas.length}, ${running} of them running`);
  return [...problems, ...disagreement(scene)];
}

const reasonOf = (status: VirtualMachine['status']): string => {
  const messages = (status?.conditions ?? []).flatMap(({ message }) => message ?? []);
  return messages.length > 0 ? ` (${messages.join('; ')})` : '';
};

/** The API and libvirt say the same; nothing runs that nobody asked for. */
function disagreement({ instances, pods, domains, guests }: Scene): string[] {
  const running = instances
    .filter(({ status }) => status?.phase === 'Running')
    .map(({ metadata }) => `${NAMESPACE}_${metadata.name}`);
  const problems: string[] = [];
  if (domains) {
    for (const name of running) if (!domains.includes(name)) problems.push(`${name} runs for the API, not for libvirt`);
    for (const name of domains) if (!running.includes(name)) problems.push(`${name} runs for libvirt, not for the API`);
    if (guests !== domains.length) problems.push(`there are ${guests} QEMU processes and ${domains.length} domains`);
  } else if (guests > 0) problems.push(`there are ${guests} QEMU processes where nothing should run guests`);
  const owners = new Set(instances.map(({ metadata }) => metadata.uid));
  for (const { metadata } of pods) {
    if (!metadata.ownerReferences?.some(({ uid }) => owners.has(uid)))
      problems.push(`the pod ${metadata.name} belongs to no instance`);
  }
  return problems;
}

/** Every failure that is shown has a condition with its cause. */
export function unexplained({ machines }: Scene): string[] {
  return machines
    .filter(
      ({ status }) =>
        status?.printableStatus === 'CrashLoopBackOff' || status?.printableStatus === 'ErrorUnschedulable',
    )
    .filter(
      ({ status }) =>
        !status?.conditions?.some(({ status, message }) => (status !== 'True' ? Boolean(message) : false)),
    )
    .map(({ metadata, status }) => `${metadata.name} is ${status?.printableStatus} and no condition says why`);
}
