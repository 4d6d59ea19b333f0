import {
  AUTHORIZER,
  type CelType,
  DYN,
  type Environment,
  jsonPatch,
  kubernetes,
  listType,
  mapType,
  RESOURCE_CHECK,
  structType,
} from '../../cel/index.ts';
import { patchTypes } from './patchTypes.ts';
import { ADMISSION_REQUEST, NAMESPACE, requestTypes } from './types.ts';

/** What differs between the expressions of admission. */
export interface Declared {
  /** Whether the policy has a paramKind. */
  readonly params?: boolean;
  readonly authorizer?: boolean;
  /** Whether `Object{…}` and `JSONPatch{…}` can be written. */
  readonly patches?: boolean;
}

/** The types of `object`, `oldObject` and `params` where they are known; elsewhere they can be anything. */
export interface ObjectTypes {
  readonly object?: CelType;
  readonly params?: CelType;
}

const known = new Map<string, Environment>();

/** What expressions of policies and match conditions can mention. */
export function admissionEnvironment({ params = false, authorizer = false, patches = false }: Declared): Environment {
  const key = `${params} ${authorizer} ${patches}`;
  const environment = known.get(key) ?? makeEnvironment({ params, authorizer, patches }, {});
  known.set(key, environment);
  return environment;
}

/** The same with objects of certain types, to check expressions against schemas. */
export function makeEnvironment({ params, authorizer, patches }: Declared, types: ObjectTypes): Environment {
  const environment = kubernetes.extend({
    variables: {
      object: types.object ?? DYN,
      oldObject: types.object ?? DYN,
      request: ADMISSION_REQUEST.type,
      namespaceObject: NAMESPACE.type,
      ...(params && { params: types.params ?? DYN }),
      ...(authorizer && { authorizer: AUTHORIZER, 'authorizer.requestResource': RESOURCE_CHECK }),
    },
    structs: requestTypes,
  });
  return patches ? environment.extend({ libraries: [jsonPatch], structs: patchTypes }) : environment;
}

const VARIABLES = structType('kubernetes.variables');

/** The types of a policy's variables, which become known one by one: each can use those before it. */
export class VariableTypes {
  readonly #types = new Map<string, CelType>();

  add(name: string, type: CelType | undefined): void {
    this.#types.set(name, plainType(type));
  }

  /** An environment in which `variables` has these. */
  declareIn(environment: Environment): Environment {
    const struct = { type: VARIABLES, field: (name: string) => this.#types.get(name) };
    return environment.extend({
      variables: { variables: VARIABLES },
      structs: { find: (name) => (name === VARIABLES.name ? struct : undefined) },
    });
  }
}

const PLAIN = new Set(['bool', 'bytes', 'double', 'duration', 'int', 'null', 'string', 'timestamp', 'uint']);

/** Types of variables are simple ones, lists and maps; of anything else, as of what does not compile, they are dyn. */
function plainType(type: CelType | undefined): CelType {
  if (!type) return DYN;
  const [first = DYN, second = DYN] = type.parameters;
  if (type.kind === 'list') return listType(plainType(first));
  if (type.kind === 'map') return mapType(plainType(first), plainType(second));
  return PLAIN.has(type.kind) ? type : DYN;
}
