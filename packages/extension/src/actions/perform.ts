import { badRequest, type KubeObject } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { ClusterConfig } from '@vireo/hypervisor';
import {
  type ApiRequest,
  type ApiResponse,
  type Client,
  emptyResponse,
  objectResponse,
  type UserInfo,
} from '@vireo/kube';
import { requireAccess } from '../authorize.ts';
import type { Related } from '../objectgraph/related.ts';
import type { NodeConnections } from '../streams/nodeConnections.ts';
import { askNode } from '../streams/nodeRequest.ts';
import type { Support } from '../support/index.ts';
import type { Action, ActionResource, Input, PlanContext, PlannedAction, SettledPlan, Targets } from './action.ts';
import { isDryRun } from './body.ts';
import { DIALECTS } from './dialects.ts';
import { successOf } from './responses.ts';
import type { ActionRoute } from './routes.ts';
import { readTarget } from './targets.ts';
import { requireStartable } from './vm/startable.ts';
import { retryOnConflict, write } from './writes.ts';

export interface ActionContext {
  readonly client: Client;
  readonly nodes: NodeConnections;
  /** The settings of the installation. */
  readonly config: () => Promise<ClusterConfig>;
  readonly related: Related;
  readonly support?: Support | undefined;
}

/** Reads, decides, does: the response to a request for an action. */
export async function perform(context: ActionContext, route: ActionRoute, request: ApiRequest): Promise<ApiResponse> {
  const { action, parameters } = route;
  const { client } = context;
  if (action.isStream) throw badRequest(`${action.resource}/${action.name} is a stream; connect with a WebSocket`);
  await requireGate(context, route);
  const body = action.takesData ? {} : await DIALECTS[action.group].readBody(() => request.body(), action);
  const dryRun = isDryRun(body as { dryRun?: unknown }, request.query, optionsKind(route));
  const input = { body, parameters, query: request.query };
  if ('act' in action) {
    const target = (await targetOf(client, route)) as AnyTarget;
    const require = requireFor(client, request.user);
    return (await action.act(target, input, { ...context, require, dryRun, request })) ?? done(action);
  }
  const { target, plan } = await retryOnConflict(
    () => decide(context, { ...route, action }, input, request.user),
    async (decided) => {
      if (decided.plan.type === 'write') await write(client, decided.target, decided.plan.writes, dryRun);
    },
  );
  return carryOut(context, action, target, plan, { dryRun, request });
}

/** Before anything is looked up: what is off is off for objects that are not there, too. */
async function requireGate({ config }: ActionContext, { action }: ActionRoute): Promise<void> {
  const { gate, resource, name } = action;
  if (gate && !(await config()).gates.has(gate))
    throw badRequest(`${gate} feature gate is not enabled; ${resource}/${name} requires it`);
}

/** What is there, and what is to be done with it. */
export async function decide(
  { client, config }: Pick<ActionContext, 'client' | 'config'>,
  route: ActionRoute & { readonly action: PlannedAction },
  input: Input<unknown>,
  user: UserInfo,
): Promise<{ target: Targets[ActionResource]; plan: SettledPlan }> {
  const { action } = route;
  const target = await targetOf(client, route);
  const plan = action.decide(target as AnyTarget, input);
  if (action.starts && 'vm' in target && target.vm) await requireStartable(target.vm, { client, config });
  if (plan.type !== 'lookup') return { target, plan };
  return { target, plan: await plan.decide({ client, require: requireFor(client, user) }) };
}

/** What is read is of the action's own resource. */
type AnyTarget = Targets['virtualmachines'] & Targets['virtualmachineinstances'] & Targets['nodes'];

const targetOf = async (
  client: Client,
  { action: { isTargetless, resource }, namespace, name }: ActionRoute,
): Promise<Targets[ActionResource]> =>
  isTargetless
    ? // Such an action knows its target by name alone.
      ({
        object: { apiVersion: '', kind: '', metadata: { name, ...(namespace && { namespace }) } },
      } as Targets['keypairs'])
    : readTarget(client, resource, namespace, name);

const requireFor =
  (client: Client, user: UserInfo): PlanContext['require'] =>
  (access) =>
    requireAccess(client, user, access);

/** A response that says nothing but that it is done, or will be. */
const done = (action: Action): ApiResponse => emptyResponse(successOf(action).status);

/** Carries out a plan whose writes are written already, and answers. */
async function carryOut(
  { client, nodes, config, related }: ActionContext,
  action: Action,
  target: Targets[ActionResource],
  plan: SettledPlan,
  { dryRun, request: { user, signal } }: { readonly dryRun: boolean; readonly request: ApiRequest },
): Promise<ApiResponse> {
  switch (plan.type) {
    case 'write':
      return done(action);
    case 'create': {
      const made = await client.of<KubeObject>(plan.kind).create(plan.object, { dryRun });
      return successOf(action).schema ? objectResponse(made) : done(action);
    }
    case 'call': {
      const { method } = action;
      if (dryRun) return plan.dryRunResponse ? objectResponse(plan.dryRunResponse) : done(action);
      const response = await askNode(nodes, vmiOf(target), { method, path: plan.path, body: plan.body, signal });
      return method === 'GET' || successOf(action).schema ? response : done(action);
    }
    case 'respond': {
      const warnings: string[] = [];
      const response = await plan.respond({ client, config, related, user, warn: (text) => warnings.push(text) });
      return { ...objectResponse(response), ...(warnings.length > 0 && { warnings }) };
    }
    case 'stream':
      throw new TypeError(`${action.name} is not a stream, but returned one as its plan`);
  }
}

export function vmiOf(target: Targets[ActionResource]): VirtualMachineInstance {
  const vmi = 'vmi' in target ? target.vmi : undefined;
  if (!vmi) throw new TypeError('an action calls the node of a VMI that does not exist');
  return vmi;
}

const optionsKind = ({ action }: ActionRoute): string => action.body?.name?.split('.').at(-1) ?? 'Options';
