import type { Condition } from '../data/kinds.ts';
import type { Machine } from './machine.ts';

export const ACTIONS = ['start', 'stop', 'forceOff', 'restart', 'pause', 'unpause', 'delete'] as const;
export type Action = (typeof ACTIONS)[number];

/** How an action is asked for and spoken of. */
interface Words {
  readonly verb: string;
  /** What a machine does once it is asked for. */
  readonly doing: string;
  /** Whether the user is asked first. */
  readonly isAsked: boolean;
  /** Whether something may be lost. */
  readonly isDanger?: boolean;
}

export const WORDS: Readonly<Record<Action, Words>> = {
  start: { verb: 'Start', doing: 'Starting', isAsked: false },
  stop: { verb: 'Stop', doing: 'Stopping', isAsked: true },
  forceOff: { verb: 'Force off', doing: 'Powering off', isAsked: true, isDanger: true },
  restart: { verb: 'Restart', doing: 'Restarting', isAsked: true },
  pause: { verb: 'Pause', doing: 'Pausing', isAsked: false },
  unpause: { verb: 'Resume', doing: 'Resuming', isAsked: false },
  delete: { verb: 'Delete', doing: 'Deleting', isAsked: true, isDanger: true },
};

/** The permission that an action needs, as a review of access asks for it. */
export interface Permission {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
}

/** What the API calls an action on a machine. */
export function permissionFor(action: Action, isVm: boolean): Permission {
  const resource = isVm ? 'virtualmachines' : 'virtualmachineinstances';
  if (action === 'delete') return { verb: 'delete', group: 'kubevirt.io', resource };
  const isOfInstance = action === 'pause' || action === 'unpause';
  return {
    verb: 'update',
    group: 'subresources.kubevirt.io',
    resource: isOfInstance ? 'virtualmachineinstances' : 'virtualmachines',
    subresource: action === 'forceOff' ? 'stop' : action,
  };
}

/** A request that carries an action out. */
export interface ActionRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** The request that carries an action out. A guest is forced off by a stop that gives it no time. */
export function requestFor(action: Action, { namespace, name, isVm }: Machine): ActionRequest {
  const { group, resource, subresource } = permissionFor(action, isVm);
  const path = `/apis/${group}/v1/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}`;
  if (!subresource) return { method: 'DELETE', path };
  return { method: 'PUT', path: `${path}/${subresource}`, body: action === 'forceOff' ? { gracePeriod: 0 } : {} };
}

/** Why an action makes no sense for a machine as it is; undefined if it does. */
export function obstacle(action: Action, machine: Machine): string | undefined {
  const { state, isVm, isDeleting, hasInstance, move } = machine;
  // A guest that hangs holds up the deletion of its VM, too.
  if (isDeleting && (action !== 'forceOff' || !isVm)) return 'It is being deleted.';
  switch (action) {
    case 'delete':
      return undefined;
    case 'start':
      if (!isVm) return 'It is an instance without a VM, which runs once.';
      return hasInstance || state.group === 'starting' ? `It is ${lower(state.label)} already.` : undefined;
    case 'stop':
      if (!isVm) return 'It is an instance without a VM: delete it to stop it.';
      if (state.group === 'off') return 'It is stopped already.';
      return state.group === 'stopping' ? 'It is stopping already.' : undefined;
    case 'forceOff':
      if (!isVm) return 'It is an instance without a VM: delete it to stop it.';
      if (state.group === 'off') return 'It is stopped already.';
      return hasInstance === false ? 'It is not running.' : undefined;
    case 'restart':
      if (!isVm) return 'It is an instance without a VM, which runs once.';
      if (state.group === 'stopping') return 'It is stopping.';
      return hasInstance === false ? 'It is not running.' : undefined;
    case 'pause':
      if (state.group === 'paused') return 'It is paused already.';
      if (move) return MIGRATING;
      return state.group === 'running' ? undefined : 'It is not running.';
    case 'unpause':
      if (move) return MIGRATING;
      return state.group === 'paused' ? undefined : 'It is not paused.';
  }
}

const MIGRATING = 'It is migrating.';

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Whether a button works, or why not. */
export interface Offer {
  readonly isOffered: boolean;
  readonly reason?: string;
}

/** `undefined` while nobody knows yet. */
export type May = (permission: Permission, namespace: string) => boolean | undefined;

const isForbidden = (action: Action, { isVm, namespace }: Machine, may: May): boolean =>
  may(permissionFor(action, isVm), namespace) === false;

/** What a button for these machines says: for several, one that can be acted on suffices. */
export function offerFor(action: Action, machines: readonly Machine[], may: May): Offer {
  const [first] = machines;
  if (!first) return { isOffered: false, reason: 'Select a machine first.' };
  const allowed = machines.filter((machine) => !isForbidden(action, machine, may));
  if (allowed.length === 0)
    return { isOffered: false, reason: forbiddenText(permissionFor(action, first.isVm), first.namespace) };
  const obstacles = allowed.map((machine) => obstacle(action, machine));
  if (obstacles.some((reason) => reason === undefined)) return { isOffered: true };
  if (machines.length === 1) return { isOffered: false, reason: obstacles[0] ?? '' };
  const those = allowed.length === machines.length ? 'None of the selected machines' : NONE_ALLOWED;
  return { isOffered: false, reason: `${those} can do that now.` };
}

const NONE_ALLOWED = 'None of the selected machines that you are allowed to do this with';

/** What an action on several machines comes to. */
export interface Concerned {
  /** Those that it is carried out on: it makes sense for them as they are. */
  readonly machines: readonly Machine[];
  /** Those that it would make sense for, but that the user may not act on. */
  readonly forbidden: readonly Machine[];
}

export function concerned(action: Action, machines: readonly Machine[], may: May): Concerned {
  const sensible = machines.filter((machine) => obstacle(action, machine) === undefined);
  return {
    machines: sensible.filter((machine) => !isForbidden(action, machine, may)),
    forbidden: sensible.filter((machine) => isForbidden(action, machine, may)),
  };
}

export function forbiddenText({ verb, group, resource, subresource }: Permission, namespace: string): string {
  const what = subresource ? `${resource}/${subresource}` : resource;
  return `You are not allowed to ${verb} ${what}.${group} in namespace ${namespace}.`;
}

/** `Delete web`, `Stop 3 machines`. */
export const buttonText = (action: Action, machines: readonly Machine[]): string =>
  `${WORDS[action].verb} ${machines.length === 1 ? machines[0]?.name : `${machines.length} machines`}`;

/** A running guest, as far as a migration wants to know it. */
export interface Movable {
  readonly namespace: string;
  readonly name: string;
  readonly isVm: boolean;
  readonly isDeleting: boolean;
  readonly phase: string | undefined;
  readonly node: string | undefined;
  /** The condition LiveMigratable of its instance. */
  readonly liveMigratable: Condition | undefined;
  readonly isMigrating: boolean;
}

/** Why a guest cannot move to another node now; undefined if it can. */
export function migrateObstacle(guest: Movable | undefined): string | undefined {
  if (guest?.isDeleting) return 'It is being deleted.';
  if (guest?.phase !== 'Running') return 'It is not running.';
  if (guest.isMigrating) return 'It is migrating already.';
  if (guest.liveMigratable?.status !== 'False') return undefined;
  const { reason, message } = guest.liveMigratable;
  return message ?? reason ?? 'It cannot migrate.';
}

/** A VM has a subresource; an instance without one needs the object itself. */
export const migratePermission = (isVm: boolean): Permission =>
  isVm
    ? { verb: 'update', group: 'subresources.kubevirt.io', resource: 'virtualmachines', subresource: 'migrate' }
    : { verb: 'create', group: 'kubevirt.io', resource: 'virtualmachineinstancemigrations' };

/** The request that moves a guest, to a node of one's choice or of the scheduler's. */
export function migrateRequest(
  { namespace, name, isVm }: Movable,
  node: string | undefined,
): { method: string; path: string; body: object } {
  const below = `namespaces/${encodeURIComponent(namespace)}`;
  const selector = node === undefined ? {} : { addedNodeSelector: { 'kubernetes.io/hostname': node } };
  if (isVm)
    return {
      method: 'PUT',
      path: `/apis/subresources.kubevirt.io/v1/${below}/virtualmachines/${encodeURIComponent(name)}/migrate`,
      body: selector,
    };
  return {
    method: 'POST',
    path: `/apis/kubevirt.io/v1/${below}/virtualmachineinstancemigrations`,
    body: {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { generateName: `${name}-` },
      spec: { vmiName: name, ...selector },
    },
  };
}
