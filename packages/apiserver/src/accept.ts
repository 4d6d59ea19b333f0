import { notAcceptable } from '@vireo/api';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from './decode/body.ts';

export type Encoding = 'json' | 'yaml' | 'protobuf';

/** One of the wishes in an Accept header. */
export interface Clause {
  /** Those that it allows, the server's favourite first. */
  readonly encodings: readonly Encoding[];
  readonly parameters: ReadonlyMap<string, string>;
}

const ENCODINGS: Readonly<Record<string, readonly Encoding[]>> = {
  [JSON_TYPE]: ['json'],
  [YAML_TYPE]: ['yaml'],
  [PROTOBUF_TYPE]: ['protobuf'],
  'application/*': ['json', 'yaml', 'protobuf'],
  '*/*': ['json', 'yaml', 'protobuf'],
};

/** The wishes of a client, most wanted first. */
export function parseAccept(accept: string): Clause[] {
  return accept
    .split(',')
    .map((range) => {
      const [type = '', ...rest] = range.split(';').map((part) => part.trim());
      const parameters = new Map(rest.map((text) => [text.split('=', 1)[0]!, text.slice(text.indexOf('=') + 1)]));
      const quality = Number(parameters.get('q') ?? 1);
      return { encodings: ENCODINGS[type.toLowerCase()] ?? [], parameters, quality, wildcards: type.split('*').length };
    })
    .filter(({ encodings }) => encodings.length > 0)
    .sort((a, b) => b.quality - a.quality || a.wildcards - b.wildcards);
}

/** Whether a wish is for another form of the object, such as a Table. */
export const asksForAnotherForm = ({ parameters }: Clause): boolean =>
  parameters.has('as') || parameters.has('g') || parameters.has('v');

/**
 * How to write a response that has one form only; undefined where the client takes none of it. Objects are kept as JSON,
 * so JSON it is wherever a client takes that beside protobuf.
 */
export function encodingFor(accept: string | undefined): Encoding | undefined {
  if (!accept || accept === JSON_TYPE || accept === '*/*') return 'json';
  const wanted = parseAccept(accept).filter((clause) => !asksForAnotherForm(clause));
  const found = wanted.flatMap(({ encodings }) => encodings);
  return found.find((encoding) => encoding !== 'protobuf') ?? found[0];
}

/** Throws 406 where the client takes no form of what is not negotiated further. */
export function checkAcceptable(accept: string | undefined, types = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE]): void {
  if (!encodingFor(accept)) throw notAcceptable(types);
}

const OPENAPI_PROTOBUF = /application\/com\.github\.proto-openapi\.spec\.v[23][@.]v1\.0\+protobuf/;

/** The same for OpenAPI, which has protobuf types of its own. */
export function checkOpenApiAcceptable(accept: string | undefined): void {
  if (!OPENAPI_PROTOBUF.test(accept ?? '')) checkAcceptable(accept, [JSON_TYPE]);
}
