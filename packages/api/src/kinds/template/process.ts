import { type FieldError, fieldError } from '../../errors.ts';
import { isObject } from '../../json.ts';
import { ExpressionError, generate } from './expression.ts';
import type { TemplateParameter, VirtualMachineTemplateSpec } from './virtualMachineTemplate.ts';

/** `${NAME}` anywhere in a text; `${{NAME}}` as the whole of it, whose value need not be a text. */
const IN_TEXT = /\$\{([a-zA-Z0-9_]+)\}/g;
const WHOLE = /^\$\{\{([a-zA-Z0-9_]+)\}\}$/;

/** Why a template cannot be processed: which of its fields is wrong, or lacks a value. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly field: FieldError;
  constructor(field: FieldError) {
    super(field.text);
    this.field = field;
  }
}

/** What comes of a template: a VM, and what its user is told. */
export interface Processed {
  readonly virtualMachine: Record<string, unknown>;
  readonly message: string;
}

/**
 * The VM that a template describes. `given`: values of parameters, by name. `random` gives whole numbers below its
 * argument, for values that are to be generated.
 */
export function processTemplate(
  { parameters = [], virtualMachine, message = '' }: VirtualMachineTemplateSpec,
  given: Readonly<Record<string, string>>,
  random: (below: number) => number,
): Processed {
  const values = valuesOf(parameters, given, random);
  const vm = substitute(withoutNamespace(virtualMachine), values, 'spec.virtualMachine');
  return {
    virtualMachine: { ...(vm as Record<string, unknown>), apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine' },
    message: String(substitute(message, values, 'spec.message')),
  };
}

function valuesOf(
  parameters: readonly TemplateParameter[],
  given: Readonly<Record<string, string>>,
  random: (below: number) => number,
): Map<string, string> {
  const values = new Map<string, string>();
  const unknown = Object.keys(given).find((name) => !parameters.some((each) => each.name === name));
  if (unknown !== undefined)
    throw failed('parameters', `parameter ${unknown} not found in template; it has: ${namesOf(parameters)}`);
  for (const [index, parameter] of parameters.entries()) {
    const path = `spec.parameters[${index}]`;
    if (parameter.name === '') throw failed(`${path}.name`, 'parameter name is empty');
    if (values.has(parameter.name)) throw failed(`${path}.name`, `parameter '${parameter.name}' is there twice`);
    values.set(parameter.name, valueFor(parameter, given[parameter.name], path, random));
  }
  return values;
}

const namesOf = (parameters: readonly TemplateParameter[]): string =>
  parameters.map(({ name }) => name).join(', ') || 'none';

function valueFor(
  { name, value: preset, generate: how, from, required }: TemplateParameter,
  given: string | undefined,
  path: string,
  random: (below: number) => number,
): string {
  const value = given ?? preset ?? '';
  if (value !== '') return value;
  if (how) {
    if (!from) throw failed(`${path}.from`, `from cannot be empty for parameter '${name}' using generator '${how}'`);
    return generated(from, `${path}.from`, random);
  }
  if (required) throw failed(`${path}.value`, `parameter '${name}' is required and a value must be specified`);
  return '';
}

function generated(from: string, path: string, random: (below: number) => number): string {
  try {
    return generate(from, random);
  } catch (error) {
    if (error instanceof ExpressionError) throw failed(path, error.message);
    throw error;
  }
}

/** A namespace that is written out says where the template was made, not where VMs belong. */
function withoutNamespace(vm: Record<string, unknown>): Record<string, unknown> {
  const { metadata } = vm;
  if (!isObject(metadata) || typeof metadata.namespace !== 'string' || metadata.namespace.search(IN_TEXT) >= 0)
    return vm;
  const { namespace: _namespace, ...rest } = metadata;
  return { ...vm, metadata: rest };
}

/** A value with the references in all its texts replaced; names of fields stay. */
function substitute(value: unknown, values: ReadonlyMap<string, string>, path: string): unknown {
  if (Array.isArray(value)) return value.map((item, index) => substitute(item, values, `${path}[${index}]`));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, substitute(each, values, `${path}.${name}`)]),
    );
  if (typeof value !== 'string') return value;
  const [, whole] = WHOLE.exec(value) ?? [];
  if (whole !== undefined) return literal(valueNamed(whole, values, path));
  return value.replaceAll(IN_TEXT, (_, name: string) => valueNamed(name, values, path));
}

function valueNamed(name: string, values: ReadonlyMap<string, string>, path: string): string {
  const value = values.get(name);
  if (value === undefined) throw failed(path, `found parameter '${name}' but it was not defined`);
  return value;
}

/** `4` and `true` are what JSON takes them for; what it does not know stays a text. */
function literal(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const failed = (path: string, text: string): TemplateError => new TemplateError(fieldError(path, text));

/** What is wrong with a template whatever values its parameters get; and names that nothing uses, for a warning. */
export function templateProblems(spec: VirtualMachineTemplateSpec): { errors: FieldError[]; unused: string[] } {
  const { parameters = [] } = spec;
  const text = JSON.stringify([spec.virtualMachine, spec.message]);
  const unused = parameters
    .map(({ name }) => name)
    .filter((name) => !text.includes(`\${${name}}`) && !text.includes(`\${{${name}}}`));
  // Any value will do to find out what is not defined.
  const filled = parameters.map(({ required: _required, ...each }) => each);
  try {
    processTemplate({ ...spec, parameters: filled }, {}, () => 0);
    return { errors: [], unused };
  } catch (error) {
    if (error instanceof TemplateError) return { errors: [error.field], unused };
    throw error;
  }
}
