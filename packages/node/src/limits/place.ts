import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { groupPids, readGroupFile } from './groupTree.ts';
import { CONTROLLERS, type Controller, type Hierarchy } from './hierarchies.ts';

/** Which limits this host can enforce, and why not the others. */
export interface LimitSupport {
  readonly hierarchies: readonly Hierarchy[];
  /** Controllers that cannot be used, with the reason. */
  readonly missing: Readonly<Partial<Record<Controller, string>>>;
}

/** Finds out which trees can be used. Changes nothing. */
export async function probeLimits(
  hierarchies: readonly Hierarchy[],
  { isSystemd }: { readonly isSystemd: boolean },
): Promise<LimitSupport> {
  const problems = new Map<Hierarchy, string>();
  for (const each of hierarchies) {
    const problem = await problemOf(each, isSystemd);
    if (problem !== undefined) problems.set(each, problem);
  }
  const missing = CONTROLLERS.flatMap((controller) => {
    const holders = hierarchies.filter(({ controllers }) => controllers.includes(controller));
    if (holders.some((each) => !problems.has(each))) return [];
    const [holder] = holders;
    return [[controller, holder ? problems.get(holder) : `this host has no cgroup controller "${controller}"`]];
  });
  return { hierarchies: hierarchies.filter((each) => !problems.has(each)), missing: Object.fromEntries(missing) };
}

async function problemOf({ version, mount, controllers }: Hierarchy, isSystemd: boolean): Promise<string | undefined> {
  try {
    await access(mount, constants.W_OK);
  } catch (error) {
    const isReadOnly = (error as NodeJS.ErrnoException).code === 'EROFS';
    return isReadOnly ? `${mount} is read-only` : `this user cannot write to ${mount}`;
  }
  // systemd hands out a group below, where none of this matters; a root that is no container's takes processes as well.
  if (version === 1 || isSystemd || (await readGroupFile(mount, 'cgroup.type')) === '') return undefined;
  const shared = (await readGroupFile(mount, 'cgroup.subtree_control')).trim().split(' ');
  const isShared = controllers.every((controller) => shared.includes(controller));
  if (isShared || (await groupPids(mount)).length === 0) return undefined;
  return `the processes of this container are in ${mount} itself: move them to ${join(mount, 'init')} before Vireo starts`;
}

const NAMES: Record<Controller, string> = { memory: 'memory', cpu: 'CPU time', pids: 'processes' };
const listed = new Intl.ListFormat('en-GB');
const namesOf = (controllers: readonly Controller[]): string => listed.format(controllers.map((each) => NAMES[each]));

/** In words, for administrators. */
export function describeLimits({ hierarchies, missing }: LimitSupport): { areComplete: boolean; message: string } {
  const absent = CONTROLLERS.filter((controller) => missing[controller] !== undefined);
  const present = CONTROLLERS.filter((controller) => missing[controller] === undefined);
  const versions = new Set(hierarchies.filter((each) => each.controllers.length > 0).map((each) => each.version));
  const reasons = [...new Set(absent.map((each) => missing[each]))].join('; ');
  const parts = [
    ...(present.length > 0 ? [`limits of ${namesOf(present)} (cgroups v${[...versions].sort().join(' and v')})`] : []),
    ...(absent.length > 0 ? [`no limits of ${namesOf(absent)}: ${reasons}`] : []),
  ];
  return { areComplete: absent.length === 0, message: `guests have ${parts.join(', and ')}` };
}

/** What a node says of the limits of its guests. */
export function limitsCondition(support: LimitSupport) {
  const { areComplete, message } = describeLimits(support);
  return areComplete
    ? { type: 'GuestLimits', status: 'True', reason: 'CgroupsUsable', message }
    : { type: 'GuestLimits', status: 'False', reason: 'CgroupsNotUsable', message };
}
