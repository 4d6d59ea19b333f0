import { badRequest, isReason } from '@vireo/api';
import { HARVESTER_SUBRESOURCE_GROUP } from '@vireo/api/kinds/harvester/names.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { ClusterConfig } from '@vireo/hypervisor';
import { type ApiRequest, type ApiResponse, type Client, emptyResponse, objectResponse } from '@vireo/kube';
import { type Access, review } from '../authorize.ts';
import { readInput } from '../harvester/input.ts';
import type { Related } from '../objectgraph/related.ts';
import type { NodeConnections } from '../streams/nodeConnections.ts';
import { askNode } from '../streams/nodeRequest.ts';
import type { Support } from '../support/index.ts';
import type { Action, ActionResource, SettledPlan, Targets } from './action.ts';
import { isDryRun, parseBody, readOptions, unwrapped } from './body.ts';
import type { ActionRoute } from './routes.ts';
import { readTarget } from './targets.ts';
import { requireStartable } from './vm/startable.ts';
import { carryOut } from './writes.ts';

export interface ActionContext {
  readonly client: Client;
  readonly nodes: NodeConnections;
  /** The settings of the installation. */
  readonly config: () => Promise<ClusterConfig>;
  readonly related: Related;
  readonly support?: Support | undefined;
}

/** How often a decision is made anew because its objects changed before it was written. */
const MOST_ATTEMPTS = 5;

/** Reads, decides, does: the answer to a request for an action. */
export async function perform(context: ActionContext, route: ActionRoute, request: ApiRequest): Promise<ApiResponse> {
  const { action } = route;
  if (action.isStream) throw badRequest(`${action.resource}/${action.name} is a stream: ask for it with a WebSocket`);
  await requireGate(context, route);
  const options = await optionsOf(action, request);
  const dryRun = isDryRun(options as { dryRun?: unknown }, request.query, optionsKind(route));
  for (let attempt = 1; ; attempt++) {
    const { target, plan } = await decide(context, route, options, request.query);
    try {
      return await act(context, target, plan, { route, dryRun, request });
    } catch (error) {
      if (plan.type !== 'write' || !isReason(error, 'Conflict') || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

/** What was sent along. Harvester's actions without input take no notice of bodies. */
async function optionsOf({ group, body, wrapper, takesData }: Action, request: ApiRequest): Promise<unknown> {
  if (takesData) return {};
  if (group === HARVESTER_SUBRESOURCE_GROUP) return body ? readInput(await request.body(), body) : {};
  return readOptions(unwrapped(parseBody(await request.body()), wrapper), body);
}

/** Before anything is looked up: what is off is off for objects that are not there, too. */
async function requireGate({ config }: ActionContext, { action }: ActionRoute): Promise<void> {
  const { gate, resource, name } = action;
  if (gate && !(await config()).gates.has(gate))
    throw badRequest(`${gate} feature gate is not enabled, which ${resource}/${name} needs`);
}

/** What is there, and what is to be done with it. */
export async function decide(
  { client, config }: Pick<ActionContext, 'client' | 'config'>,
  { action, namespace, name, parameters }: ActionRoute,
  body: unknown,
  query: URLSearchParams,
): Promise<{ target: Targets[ActionResource]; plan: SettledPlan }> {
  const target = action.isTargetless
    ? nobody(namespace, name)
    : await readTarget(client, action.resource, namespace, name);
  const plan = action.decide(target as AnyTarget, { body, parameters, query });
  if (action.starts && 'vm' in target && target.vm) await requireStartable(target.vm, { client, config });
  return { target, plan: plan.type === 'ask' ? await plan.decide({ client }) : plan };
}

/** What is read is of the action's own resource. */
type AnyTarget = Targets['virtualmachines'] & Targets['virtualmachineinstances'] & Targets['nodes'];

const nobody = (namespace: string | undefined, name: string): Targets['keypairs'] => ({
  object: { apiVersion: '', kind: '', metadata: { name, ...(namespace && { namespace }) } },
});

interface Circumstances {
  readonly route: ActionRoute;
  readonly dryRun: boolean;
  readonly request: ApiRequest;
}

async function act(
  { client, nodes, config, related, support }: ActionContext,
  target: Targets[ActionResource],
  plan: SettledPlan,
  { route, dryRun, request }: Circumstances,
): Promise<ApiResponse> {
  const { user, signal } = request;
  const isHarvester = route.action.group === HARVESTER_SUBRESOURCE_GROUP;
  switch (plan.type) {
    case 'look': {
      const warnings: string[] = [];
      const answer = await plan.answer({ client, config, related, user, warn: (text) => warnings.push(text) });
      return { ...objectResponse(answer), ...(warnings.length > 0 && { warnings }) };
    }
    case 'write':
      await carryOut(client, target, plan.writes, dryRun);
      return emptyResponse(isHarvester ? 204 : 202);
    case 'do': {
      const require = (access: Access): Promise<void> => review(client, user, access);
      return (await plan.run({ client, nodes, dryRun, request, require, support })) ?? emptyResponse(204);
    }
    case 'call': {
      const { method } = route.action;
      const done = emptyResponse(isHarvester ? 204 : 200);
      if (dryRun) return done;
      const answer = await askNode(nodes, instanceOf(target), { method, path: plan.path, body: plan.body, signal });
      return method === 'PUT' ? done : answer;
    }
    case 'stream':
      throw new TypeError(`${route.action.name} has decided on a stream and is none`);
  }
}

export function instanceOf(target: Targets[ActionResource]): VirtualMachineInstance {
  const vmi = 'vmi' in target ? target.vmi : undefined;
  if (!vmi) throw new TypeError('an action wants to reach the node of an instance that is not there');
  return vmi;
}

const optionsKind = ({ action }: ActionRoute): string => action.body?.name?.split('.').at(-1) ?? 'Options';
