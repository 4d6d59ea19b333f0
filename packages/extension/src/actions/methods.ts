import type { Action } from './action.ts';
import { DIALECTS, type Method } from './dialects.ts';

export type Verb = 'get' | 'create' | 'update';

const VERBS: Readonly<Record<Method, Verb>> = { GET: 'get', POST: 'create', PUT: 'update' };

/** The methods by which an action is asked for. */
export const methodsOf = ({ group, method }: Pick<Action, 'group' | 'method'>): readonly Method[] =>
  DIALECTS[group].methods[method];

/** The verb that RBAC knows a method by. */
export const verbOf = (method: string): Verb => VERBS[method as Method] ?? 'get';

/** Every verb that an action has. */
export const verbsOf = (action: Pick<Action, 'group' | 'method'>): Verb[] => methodsOf(action).map(verbOf);

/** The verb that is asked about where Harvester's Steve API is used: there, what changes is POSTed. */
export const steveVerb = ({ method }: Pick<Action, 'method'>): Verb => (method === 'GET' ? 'get' : 'create');
