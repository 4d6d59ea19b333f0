import type { ClusterRole, KubeObject, Namespace, Node, Persisted, PersistentVolumeClaim, Schema } from '@vireo/api';
import type { KeyPair } from '@vireo/api/kinds/harvester/keyPair.ts';
import type { HARVESTER_SUBRESOURCE_GROUP } from '@vireo/api/kinds/harvester/names.ts';
import type { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import type { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import type { HarvesterTemplate } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import { SUBRESOURCE_GROUP } from '@vireo/api/kinds/kubevirt/names.ts';
import type { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { VirtualMachinePool } from '@vireo/api/kinds/pool/virtualMachinePool.ts';
import type { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import type { ApiRequest, ApiResponse, Client, Draft, ResourceRef } from '@vireo/kube';
import type { Access } from '../authorize.ts';
import type { LookupContext } from '../instancetypes/expand.ts';
import type { NodeConnections } from '../streams/nodeConnections.ts';
import type { Support } from '../support/index.ts';

/** What an action looks at, by the resource that it belongs to. */
export interface Targets {
  virtualmachines: { readonly vm: Vm; readonly vmi?: Vmi };
  /** `vm`: the VM that the VMI belongs to, if any. */
  virtualmachineinstances: { readonly vm?: Vm; readonly vmi: Vmi };
  virtualmachineinstancereplicasets: { readonly object: Persisted<VirtualMachineInstanceReplicaSet> };
  virtualmachinepools: { readonly object: Persisted<VirtualMachinePool> };
  nodes: { readonly object: Persisted<Node> };
  namespaces: { readonly object: Persisted<Namespace> };
  persistentvolumeclaims: { readonly object: Persisted<PersistentVolumeClaim> };
  volumesnapshots: { readonly object: Persisted<VolumeSnapshot> };
  virtualmachineimages: { readonly object: Persisted<VirtualMachineImage> };
  upgradelogs: { readonly object: Persisted<UpgradeLog> };
  keypairs: { readonly object: Persisted<KeyPair> };
  virtualmachinetemplates: { readonly object: Persisted<HarvesterTemplate> };
}

export type ActionGroup = typeof SUBRESOURCE_GROUP | typeof HARVESTER_SUBRESOURCE_GROUP;

export type ActionResource = keyof Targets;

/** What the caller sent along. */
export interface Input<B> {
  readonly body: B;
  /** Segments of the path after the action's name, by the names that the action gives them. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/**
 * The least of the roles that has the right. `migrate` and `nodes` are roles of their own, for they reach beyond a
 * namespace; `none` leaves it to the cluster.
 */
export type MinimumRole = 'view' | 'edit' | 'admin' | 'migrate' | 'nodes' | 'none';

/** A response that is no refusal. */
export interface SuccessResponse {
  readonly status: 101 | 200 | 202 | 204;
  /** What it holds; without it nothing. */
  readonly schema?: Schema;
  /** Default: application/json. */
  readonly contentType?: string;
}

/**
 * One subresource. Routes, discovery, OpenAPI, roles, Harvester's Steve API and documentation follow from the table of
 * these. It decides and leaves the rest to `perform.ts`, or it acts by itself; its type says which.
 *
 * @example
 * vmAction({ name: 'start', method: 'PUT', minimumRole: 'edit', summary: 'Starts the VM.', body: StartOptions, decide })
 */
export type Action<R extends ActionResource = ActionResource, B = unknown> = PlannedAction<R, B> | ActingAction<R, B>;

export interface PlannedAction<R extends ActionResource = ActionResource, B = unknown> extends ActionEntry<R, B> {
  /** What to do, from what is and what was asked. Refuses by throwing an ApiError. Pure. */
  decide(target: Targets[R], input: Input<B>): Plan;
}

/** For what takes several steps, streams data, or has to ask a guest before anything is written. */
export interface ActingAction<R extends ActionResource = ActionResource, B = unknown> extends ActionEntry<R, B> {
  /** Checks and acts. Answers what it returns; undefined: the status that `successOf` says. */
  act(target: Targets[R], input: Input<B>, context: ActContext): Promise<ApiResponse | undefined>;
}

export interface QueryParameter {
  readonly name: string;
  readonly type: 'string' | 'integer';
  readonly description: string;
  readonly isRequired?: boolean;
}

interface ActionEntry<R extends ActionResource, B> {
  readonly group: ActionGroup;
  readonly resource: R;
  /** As in the path and in RBAC: `start`, `vnc/screenshot`. */
  readonly name: string;
  /** Whether it looks or changes; `dialects.ts` says by which methods clients ask for it. */
  readonly method: 'GET' | 'PUT';
  readonly minimumRole: MinimumRole;
  /** Feature gate without which it is refused, whatever it is asked of. */
  readonly gate?: string;
  /** One sentence for documentation. */
  readonly summary: string;
  readonly body?: Schema<B>;
  /** A field that clients may send the body in, as KubeVirt's request for changes of volumes has it. */
  readonly wrapper?: string;
  /** What it answers when all is well, where that is not what `successOf` says of its kind. */
  readonly response?: SuccessResponse;
  /** Codes with which it refuses, beside those that every action may refuse with. */
  readonly refuses?: readonly number[];
  /** Known by name only: it answers 501. */
  readonly isNotImplemented?: boolean;
  /** Names of the path segments that follow; `?` at the end: may be missing. */
  readonly parameters?: readonly string[];
  /** Parameters of the query beside those that every action has. */
  readonly query?: readonly QueryParameter[];
  /** A WebSocket instead of a response. */
  readonly isStream?: boolean;
  /** Harvester's Steve API has it among the links of an object, asked for by GET, and not among its actions. */
  readonly isLink?: boolean;
  /** The body is data: it is not read, and whoever carries the action out takes it from the request. */
  readonly takesData?: boolean;
  /** The object need not be there, and is not read: the action makes it, and knows it by name. */
  readonly isTargetless?: boolean;
  /** Harvester's Steve API asks the collection for it; `name` and `namespace` of its body say which object is meant. */
  readonly isOfCollection?: boolean;
  /** It ends in a start of the VM, and is refused where the VM could not start. */
  readonly starts?: true;
  /** What the extension itself must be allowed to do for it, beside reading the target. */
  readonly needs?: NonNullable<ClusterRole['rules']>;
  /**
   * Whether Harvester's Steve API shows it as possible. Without it the action is never shown. That the user may call it is
   * looked at besides.
   */
  isListed?(target: Targets[R], context: Pick<PlanContext, 'client'>): boolean | Promise<boolean>;
}

/** What an action has decided on. `lookup`: what it has to look up first, and decides on then. */
export type Plan =
  | SettledPlan
  | { readonly type: 'lookup'; readonly decide: (context: PlanContext) => Promise<SettledPlan> };

export interface PlanContext {
  /** With the extension's own rights: those that the action names in `needs`. */
  readonly client: Client;
  /** Throws 403 unless the caller may. For what is done elsewhere than to the target, which is granted already. */
  readonly require: (access: Access) => Promise<void>;
}

export type SettledPlan =
  /** Merge patches, in this order; nothing else may have changed the objects meanwhile. */
  | { readonly type: 'write'; readonly writes: readonly Write[] }
  /** A new object, which is the response where the action has a schema for it. */
  | { readonly type: 'create'; readonly kind: ResourceRef; readonly object: Draft<KubeObject> }
  /** A request to the node of the VMI. `dryRunResponse`: what a dry run answers, where the action has a schema for it. */
  | { readonly type: 'call'; readonly path: string; readonly body?: unknown; readonly dryRunResponse?: object }
  /** A stream to the node of the VMI. */
  | { readonly type: 'stream'; readonly path: string; readonly sharing: Sharing }
  /** An object that is made from what is looked up for the caller. */
  | { readonly type: 'respond'; readonly respond: (context: LookupContext) => Promise<object> };

export interface ActContext extends PlanContext {
  /** Go through every check and change nothing. */
  readonly dryRun: boolean;
  readonly request: ApiRequest;
  readonly nodes: NodeConnections;
  /** Where archives are kept, on servers that have a place for them. */
  readonly support?: Support | undefined;
}

export interface Write {
  /** `object`: the target itself, where it is neither VM nor VMI. */
  readonly to: 'vm' | 'vmStatus' | 'vmi' | 'object';
  readonly patch: object;
  /** Takes the write back when a later one fails. */
  readonly undo?: object;
}

/**
 * How streams of one kind get along: `parallel` ones do not know of each other. Of the others there is one at a time: a
 * new one ends the old one, which learns of it in its own output (`exclusiveConsole`) or in the close frame only
 * (`exclusiveVnc`); `exclusiveVncOrRefuse` leaves the old one and refuses the new one.
 */
export type Sharing = 'parallel' | 'exclusiveConsole' | 'exclusiveVnc' | 'exclusiveVncOrRefuse';

/** Makes an entry an action of a group and resource. `Must`: optional fields that its entries have to have. */
export interface DefineAction<R extends ActionResource, Must extends 'isListed' = never> {
  <B = unknown>(entry: Entry<PlannedAction<R, B>, Must>): PlannedAction<R, B>;
  <B = unknown>(entry: Entry<ActingAction<R, B>, Must>): ActingAction<R, B>;
}
type Entry<A extends { isListed?: unknown }, Must extends 'isListed'> = Omit<A, 'group' | 'resource' | Must> &
  Required<Pick<A, Must>>;

export const defineActions =
  <R extends ActionResource, Must extends 'isListed' = never>(group: ActionGroup, resource: R): DefineAction<R, Must> =>
  (entry: object) =>
    ({ group, resource, ...entry }) as never;

export const vmAction = defineActions(SUBRESOURCE_GROUP, 'virtualmachines');
export const vmiAction = defineActions(SUBRESOURCE_GROUP, 'virtualmachineinstances');
export const replicaSetAction = defineActions(SUBRESOURCE_GROUP, 'virtualmachineinstancereplicasets');
export const poolAction = defineActions(SUBRESOURCE_GROUP, 'virtualmachinepools');
