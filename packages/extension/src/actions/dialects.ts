import { HARVESTER_SUBRESOURCE_GROUP, HARVESTER_SUBRESOURCE_VERSION } from '@vireo/api/kinds/harvester/names.ts';
import { SUBRESOURCE_GROUP, SUBRESOURCE_VERSIONS } from '@vireo/api/kinds/kubevirt/names.ts';
import type { RequestBody } from '@vireo/kube';
import { readInput } from '../harvester/input.ts';
import type { Action, ActionGroup, SuccessResponse } from './action.ts';
import { parseBody, readOptions, unwrap } from './body.ts';

export type Method = 'GET' | 'POST' | 'PUT';

type ReadBody = () => Promise<RequestBody | undefined>;

/** How the actions of a group are called and answered, whatever they do. */
interface Dialect {
  /** Whose API it is, as refusals say it. */
  readonly owner: string;
  /** The preferred one first. All have the same actions. */
  readonly versions: readonly string[];
  /** The methods by which an action is asked for, by the one of its entry. */
  readonly methods: Readonly<Record<Action['method'], readonly Method[]>>;
  /** What answers an action that has nothing to say, by the method of its entry. */
  readonly done: Readonly<Record<Action['method'], SuccessResponse['status']>>;
  /** What was sent along, as the schema of the action has it; `read` only where there is something to read. */
  readonly readBody: (read: ReadBody, action: Pick<Action, 'body' | 'wrapper'>) => Promise<unknown>;
}

export const DIALECTS: Readonly<Record<ActionGroup, Dialect>> = {
  [SUBRESOURCE_GROUP]: {
    owner: 'KubeVirt',
    versions: SUBRESOURCE_VERSIONS,
    methods: { GET: ['GET'], PUT: ['PUT'] },
    done: { GET: 200, PUT: 202 },
    readBody: async (read, { body: schema, wrapper }) => readOptions(unwrap(parseBody(await read()), wrapper), schema),
  },
  [HARVESTER_SUBRESOURCE_GROUP]: {
    owner: 'Harvester',
    versions: [HARVESTER_SUBRESOURCE_VERSION],
    // Its clients POST what KubeVirt's PUT.
    methods: { GET: ['GET'], PUT: ['POST', 'PUT'] },
    done: { GET: 204, PUT: 204 },
    // Actions without input take no notice of bodies.
    readBody: async (read, { body: schema }) => (schema ? readInput(await read(), schema) : {}),
  },
};

export const ACTION_GROUPS = Object.keys(DIALECTS) as ActionGroup[];
