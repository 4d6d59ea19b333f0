import type { Trial } from '../part.ts';
import { attackAs } from './attacker.ts';
import { differences, identityOf } from './identity.ts';
import { placesOf, processesOf, processTargets } from './inventory.ts';
import type { Machine } from './machines.ts';
import { reachedOf, type Scene } from './round.ts';
import type { Reached } from './targets.ts';

/** What a guest that is root must find: an attack that misses it would also miss it where it should not be there. */
function treasures({ ground: { home } }: Scene, other: Machine): [string, (reached: Reached) => boolean][] {
  const at =
    (path: string, ...ways: string[]) =>
    ({ target, ways: found }: Reached) =>
      target.name === path && ways.every((way) => found.includes(way));
  const isProcess =
    (what: string) =>
    ({ target, ways }: Reached) =>
      target.what === what &&
      ['signal', 'memory', 'environ', 'ptrace', 'steal', 'fds'].every((way) => ways.includes(way));
  return [
    ['the key of the authority', at(`${home}/pki/ca.key`, 'read', 'write', 'chmod')],
    ["the administrator's kubeconfig", at(`${home}/kubeconfig`, 'read')],
    ['the store', at(`${home}/store.db`, 'read', 'write')],
    ['the log', at(`${home}/vireo.log`, 'read')],
    ['the home', at(home, 'list', 'create', 'symlink')],
    ["another guest's disk", at(`${other.directory}/root.qcow2`, 'read', 'write', 'link')],
    ["another guest's claim", at(other.claims.data ?? '', 'read', 'write')],
    ["another guest's cloud-init data", at(`${other.directory}/init.iso`, 'read')],
    ['a file that another guest shares', at(other.shared, 'read', 'write')],
    ["another guest's screen", at(other.vnc, 'connect')],
    ["another guest's console", at(`${other.sockets}/serial`, 'connect')],
    ["another guest's TPM", at(other.tpm, 'list', 'create')],
    ['a snapshot', ({ target, ways }) => /\/snapshots\/.*\.img$/.test(target.name) && ways.includes('read')],
    ['a memory dump', ({ target, ways }) => target.name.endsWith('.memory.dump') && ways.includes('read')],
    ['a backup', ({ target, ways }) => target.name.endsWith('.backup') && ways.includes('read')],
    ['libvirtd', ({ target, ways }) => target.name.endsWith('/libvirt-sock') && ways.includes('connect')],
    ["another guest's monitor", ({ target, ways }) => /monitor\.sock$/.test(target.name) && ways.includes('connect')],
    ['the process of the server', isProcess('process')],
    ['the process of another guest', isProcess('guest process')],
  ];
}

/** Tries as a guest that runs as root what it has to find. Only what belongs to this Vireo is touched. */
export async function attackFromRoot(scene: Scene, root: Machine, other: Machine, trial: Trial): Promise<void> {
  const ours = await processesOf(scene.ground);
  const processes = (await processTargets(ours)).filter(({ what }) => what !== 'host');
  const targets = [...(await placesOf(scene.ground, root, scene.temporary)), ...processes];
  const { identity, outcomes } = await attackAs(root.pid, targets, { scratch: [scene.ground.home] });
  trial.check(root.user === 0 ? undefined : `the guest ${root.name} was to run as root, but runs as ${root.user}`);
  for (const difference of differences(await identityOf(root.pid), identity))
    trial.check(`the attacker is not quite the guest's QEMU: ${difference}`);
  const reached = reachedOf(targets, outcomes, ours);
  for (const [what, isFound] of treasures(scene, other))
    trial.check(reached.some(isFound) ? undefined : `a guest that runs as root does not find ${what}`);
  trial.progress(`a guest that runs as root reaches ${reached.length} of ${targets.length} things`);
}
