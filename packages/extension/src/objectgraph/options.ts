import { badRequest, invalid } from '@vireo/api';
import type { ObjectGraphOptions } from '@vireo/api/kinds/kubevirt/objectGraph.ts';
import {
  EVERYTHING,
  parseLabelSelector,
  type Selector,
  selectorFromObject,
  validateLabelSelector,
} from '@vireo/api/labelSelector.ts';
import { GRAPH_KINDS, kindKey } from './kinds.ts';

const FORMATS = ['tree', 'hierarchical', 'flat'] as const;
export type Format = (typeof FORMATS)[number];

export const OUTPUTS = ['graph', 'manifests'] as const;

/** Which nodes of a graph to show. */
export interface NodeFilter {
  readonly includesOptional: boolean;
  readonly selector: Selector;
  /** Keys of the kinds to show; undefined: all. */
  readonly kinds?: ReadonlySet<string>;
  /** How many levels below the root. */
  readonly depth: number;
}

export interface GraphOptions extends NodeFilter {
  readonly format: Format;
  readonly output: (typeof OUTPUTS)[number];
  /** Whether manifests have Secrets among them. */
  readonly includesSecrets: boolean;
  /** Whether a response that is incomplete is refused. */
  readonly isStrict: boolean;
}

/** The options of a request: those of KubeVirt in the body or in the query, where the query goes first. */
export function readGraphOptions(body: ObjectGraphOptions, query: URLSearchParams): GraphOptions {
  const kinds = query.getAll('kinds').flatMap((each) => each.split(',').filter(Boolean));
  return {
    format: choice(query, 'format', FORMATS),
    output: choice(query, 'output', OUTPUTS),
    includesOptional: flag(query, 'includeOptionalNodes') ?? body.includeOptionalNodes ?? true,
    includesSecrets: flag(query, 'includeSecrets') ?? false,
    isStrict: flag(query, 'strict') ?? false,
    selector: selectorOf(body, query.get('labelSelector')),
    depth: depthOf(query.get('depth')),
    ...(kinds.length > 0 && { kinds: new Set(kinds.flatMap(kindsFromName)) }),
  };
}

function choice<T extends string>(query: URLSearchParams, name: string, values: readonly [T, ...T[]]): T {
  const text = query.get(name);
  if (text === null || text === '') return values[0];
  const found = values.find((value) => value === text);
  if (!found) throw badRequest(`${name}: ${JSON.stringify(text)} is not one of ${values.join(', ')}`);
  return found;
}

function flag(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (text !== 'true' && text !== 'false')
    throw badRequest(`${name}: ${JSON.stringify(text)} is neither true nor false`);
  return text === 'true';
}

function depthOf(text: string | null): number {
  if (text === null) return Number.POSITIVE_INFINITY;
  if (!/^\d{1,9}$/.test(text)) throw badRequest(`depth: ${JSON.stringify(text)} is not a number of levels`);
  return Number(text);
}

function selectorOf({ labelSelector }: ObjectGraphOptions, text: string | null): Selector {
  if (text !== null) return parseLabelSelector(text);
  if (!labelSelector) return EVERYTHING;
  const errors = validateLabelSelector(labelSelector, 'labelSelector');
  if (errors.length > 0) throw invalid('', 'ObjectGraphOptions', '', errors);
  return selectorFromObject(labelSelector);
}

/**
 * Kinds by their own name or plural, in any case, with or without the group: `pvc` is not known, `secrets` is. KubeVirt and
 * Harvester both have a VirtualMachineRestore: without the group both are meant.
 */
function kindsFromName(text: string): string[] {
  const name = text.toLowerCase();
  const found = GRAPH_KINDS.filter(({ group, kind, plural }) =>
    [kind.toLowerCase(), plural, `${plural}.${group}`].includes(name),
  );
  if (found.length === 0)
    throw badRequest(
      `kinds: ${JSON.stringify(text)} is not a kind of object graphs; choose from ${[...new Set(GRAPH_KINDS.map(({ plural }) => plural))].join(', ')}`,
    );
  return found.map(kindKey);
}
