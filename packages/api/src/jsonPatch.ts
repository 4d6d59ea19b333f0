import { ApiError, badRequest } from './errors.ts';
import { deepClone, deepEqual, exceedsDepth, isObject, type JsonObject, MAX_DEPTH, own, setOwn } from './json.ts';

const MAX_OPERATIONS = 10_000;
/** `copy` can double the document with every operation; Kubernetes bounds the sum of what is copied, too. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/** An operation as it was sent; what is wrong with it is found out when its turn comes. */
interface Operation {
  readonly op: string;
  readonly path: string | undefined;
  readonly from: string | undefined;
  /** A value that is missing counts as null. */
  readonly value: unknown;
}

type Container = JsonObject | unknown[];

/** The patch is well-formed, but does not fit the document. Kubernetes tells clients no more than that; `why` does. */
export class JsonPatchError extends ApiError {
  readonly why: string;

  constructor(why: string) {
    super('Invalid', 'the server rejected our request due to an error in our request', {});
    this.name = 'JsonPatchError';
    this.why = why;
  }
}

/** A `test` found something else than it should: the patch is not to be applied. */
export class JsonPatchTestFailed extends JsonPatchError {}

/**
 * Applies a JSON patch as Kubernetes does, which differs from RFC 6902 where clients rely on it: `replace` adds a member
 * that its object lacks, `copy` takes such a member for null, `test` finds null in it, and indexes below zero count from
 * the end. Neither argument is changed and the result shares nothing with them.
 */
export function applyJsonPatch(current: unknown, patch: unknown): unknown {
  const document = { root: deepClone(current) };
  let copiedBytes = 0;
  for (const operation of parseOperations(patch)) {
    copiedBytes += applyOperation(document, operation);
    if (copiedBytes > MAX_COPIED_BYTES)
      throw new JsonPatchError(`the copy operations of the patch copy more than ${MAX_COPIED_BYTES} bytes`);
  }
  return document.root;
}

/** Returns how many bytes it copied. */
function applyOperation(document: { root: unknown }, operation: Operation): number {
  const { op, value } = operation;
  switch (op) {
    case 'add':
      insert(document.root, pathOf(operation), deepClone(value), op);
      return 0;
    case 'remove':
      remove(document.root, pathOf(operation), op);
      return 0;
    case 'replace':
      replace(document, pathOf(operation), deepClone(value));
      return 0;
    case 'move': {
      const from = fromOf(operation);
      const moved = lookUp(document.root, from, op);
      checkDepth(moved, op, from);
      remove(document.root, from, op);
      insert(document.root, pathOf(operation), moved, op);
      return 0;
    }
    case 'copy': {
      const from = fromOf(operation);
      const copied = lookUp(document.root, from, op) ?? null;
      checkDepth(copied, op, from);
      insert(document.root, pathOf(operation), deepClone(copied), op);
      return JSON.stringify(copied).length;
    }
    case 'test':
      test(document.root, pathOf(operation), value);
      return 0;
    default:
      throw new JsonPatchError(`Unexpected kind: ${op}`);
  }
}

function replace(document: { root: unknown }, path: string, value: unknown): void {
  if (path === '') {
    if (!isContainer(value)) throw new JsonPatchError('replace operation value must be object or array');
    document.root = value;
    return;
  }
  const { parent, key } = parentOf(document.root, path, 'replace');
  if (Array.isArray(parent)) parent[indexOf(key, parent.length, 'replace', path)] = value;
  else setOwn(parent, key, value);
}

function test(root: unknown, path: string, value: unknown): void {
  const found = path === '' ? root : (lookUp(root, path, 'test') ?? null);
  if (!deepEqual(found, value)) throw new JsonPatchTestFailed(`testing value ${path} failed: test failed`);
}

function insert(root: unknown, path: string, value: unknown, op: string): void {
  const { parent, key } = parentOf(root, path, op);
  if (!Array.isArray(parent)) setOwn(parent, key, value);
  else if (key === '-') parent.push(value);
  else parent.splice(indexOf(key, parent.length + 1, op, path), 0, value);
}

function remove(root: unknown, path: string, op: string): void {
  const { parent, key } = parentOf(root, path, op);
  if (Array.isArray(parent)) parent.splice(indexOf(key, parent.length, op, path), 1);
  else if (Object.hasOwn(parent, key)) delete parent[key];
  else
    throw new JsonPatchError(
      `error in ${op} for path: '${path}': Unable to remove nonexistent key: ${key}: missing value`,
    );
}

/** What is there; undefined for a member that an object lacks. */
function lookUp(root: unknown, path: string, op: string): unknown {
  const { parent, key } = parentOf(root, path, op);
  return Array.isArray(parent) ? parent[indexOf(key, parent.length, op, path)] : own(parent, key);
}

/** The list or object that holds what `path` names. Whatever stands before the first slash is not looked at. */
function parentOf(root: unknown, path: string, op: string): { parent: Container; key: string } {
  const [, ...keys] = path.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const key = keys.pop();
  let value = root;
  for (const step of keys) value = stepInto(value, step);
  if (key === undefined || !isContainer(value))
    throw new JsonPatchError(`${op} operation does not apply: doc is missing path: "${path}": missing value`);
  return { parent: value, key };
}

function stepInto(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[parseIndex(key, value.length) ?? value.length];
  return isObject(value) ? own(value, key) : undefined;
}

function indexOf(key: string, length: number, op: string, path: string): number {
  const index = parseIndex(key, length);
  if (index === undefined)
    throw new JsonPatchError(
      `error in ${op} for path: '${path}': Unable to access invalid index: ${key}: invalid index referenced`,
    );
  return index;
}

/** Below zero, an index counts from the end. */
function parseIndex(key: string, length: number): number | undefined {
  if (!/^[+-]?\d{1,10}$/.test(key)) return undefined;
  const index = Number(key) < 0 ? Number(key) + length : Number(key);
  return index >= 0 && index < length ? Math.abs(index) : undefined;
}

const isContainer = (value: unknown): value is Container => isObject(value) || Array.isArray(value);

/** A copy into its own depths makes the document deeper each time. */
function checkDepth(value: unknown, op: string, from: string): void {
  if (exceedsDepth(value))
    throw new JsonPatchError(`${op} operation does not apply: ${from} nests deeper than ${MAX_DEPTH} levels`);
}

function pathOf({ op, path }: Operation): string {
  if (path === undefined) throw new JsonPatchError(`${op} operation failed to decode path: missing value`);
  return path;
}

function fromOf({ op, from }: Operation): string {
  if (from === undefined)
    throw new JsonPatchError(`${op} operation failed to decode from: operation, missing from field: missing value`);
  return from;
}

function parseOperations(patch: unknown): Operation[] {
  if (!Array.isArray(patch)) throw mismatch(patch, 'Go value of type []handlers.jsonPatchOp');
  if (patch.length > MAX_OPERATIONS) {
    throw new ApiError(
      'RequestEntityTooLarge',
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
    );
  }
  return patch.map(parseOperation);
}

function parseOperation(operation: unknown, index: number): Operation {
  const bad = (why: string) => badRequest(`error decoding patch: operation ${index}: ${why}`);
  if (!isObject(operation)) throw mismatch(operation, 'Go value of type handlers.jsonPatchOp');
  const text = (name: 'op' | 'path' | 'from'): string | undefined => {
    const value = own(operation, name) ?? undefined;
    if (value !== undefined && typeof value !== 'string')
      throw mismatch(value, `Go struct field jsonPatchOp.${name} of type string`);
    if (value && value.split('/', MAX_DEPTH + 2).length > MAX_DEPTH)
      throw bad(`${name} has more than ${MAX_DEPTH} steps`);
    return value;
  };
  return {
    op: text('op') ?? 'unknown',
    path: text('path'),
    from: text('from'),
    value: own(operation, 'value') ?? null,
  };
}

/** In the words of Go's decoder, which is what Kubernetes answers with. */
function mismatch(value: unknown, into: string): ApiError {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return badRequest(`error decoding patch: json: cannot unmarshal ${kind} into ${into}`);
}
