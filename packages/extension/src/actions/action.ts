import type { Schema } from '@vireo/api';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { LookWorld } from '../instancetypes/expand.ts';

/** What an action looks at, by the resource that it belongs to. */
export interface Targets {
  virtualmachines: { readonly vm: VirtualMachine; readonly vmi?: VirtualMachineInstance };
  /** `vm`: the machine that the instance belongs to, if any. */
  virtualmachineinstances: { readonly vm?: VirtualMachine; readonly vmi: VirtualMachineInstance };
}

export type ActionResource = keyof Targets;

/** What the caller sent along. */
export interface Input<B> {
  readonly body: B;
  /** Segments of the path after the action's name, by the names that the action gives them. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** The least of KubeVirt's roles that has the right; `migrate` is a role of its own, and `none` leaves it to the cluster. */
export type Grantee = 'view' | 'edit' | 'admin' | 'migrate' | 'none';

/**
 * One subresource. Routes, discovery, roles and documentation follow from the table of these.
 *
 * @example
 * vmAction({ name: 'start', method: 'PUT', granted: 'edit', summary: 'Starts the machine.', body: StartOptions, decide })
 */
export interface Action<R extends ActionResource = ActionResource, B = unknown> {
  readonly resource: R;
  /** As in the path and in RBAC: `start`, `vnc/screenshot`. */
  readonly name: string;
  readonly method: 'GET' | 'PUT';
  readonly granted: Grantee;
  /** Feature gate without which it is refused, whatever it is asked of. */
  readonly gate?: string;
  /** One sentence for documentation. */
  readonly summary: string;
  readonly body?: Schema<B>;
  /** Names of the path segments that follow; `?` at the end: may be missing. */
  readonly parameters?: readonly string[];
  /** A WebSocket instead of an answer. */
  readonly isStream?: boolean;
  /** What to do, from what is and what was asked. Refuses by throwing an ApiError. Pure. */
  decide(target: Targets[R], input: Input<B>): Plan;
}

/** What an action has decided on. `ask`: what it has to look up first, and decides on then. */
export type Plan = SettledPlan | { readonly type: 'ask'; readonly decide: (world: Asked) => Promise<SettledPlan> };

export type Asked = Pick<LookWorld, 'client'>;

export type SettledPlan =
  /** Merge patches, in this order; nothing else may have changed the objects meanwhile. */
  | { readonly type: 'write'; readonly writes: readonly Write[] }
  /** A request to the node of the instance. */
  | { readonly type: 'call'; readonly path: string; readonly body?: unknown }
  /** A stream to the node of the instance. */
  | { readonly type: 'stream'; readonly path: string; readonly sharing: Sharing }
  /** An object that takes a look at others. */
  | { readonly type: 'look'; readonly answer: (world: LookWorld) => Promise<object> };

export interface Write {
  readonly to: 'vm' | 'vmStatus' | 'vmi';
  readonly patch: object;
  /** Takes the write back when a later one fails. */
  readonly undo?: object;
}

/**
 * How streams of one kind get along: `parallel` ones do not know of each other. Of the others there is one at a time: a
 * new one ends the old one, which is told in its own output (`console`), or in the close frame only (`screen`).
 */
export type Sharing = 'parallel' | 'console' | 'screen' | 'screenUnlessTaken';

export const vmAction = <B>(action: Omit<Action<'virtualmachines', B>, 'resource'>): Action<'virtualmachines', B> => ({
  resource: 'virtualmachines',
  ...action,
});

export const vmiAction = <B>(
  action: Omit<Action<'virtualmachineinstances', B>, 'resource'>,
): Action<'virtualmachineinstances', B> => ({ resource: 'virtualmachineinstances', ...action });
