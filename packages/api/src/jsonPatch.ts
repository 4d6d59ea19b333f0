import { ApiError, badRequest } from './errors.ts';
import { deepClone, deepEqual, exceedsDepth, isObject, type JsonObject, MAX_DEPTH, own, setOwn } from './json.ts';

const MAX_OPERATIONS = 10_000;
/** `copy` can double the document with every operation; Kubernetes bounds the sum of what is copied, too. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

type Operation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

/** Applies an RFC 6902 patch; neither argument is changed and the result shares nothing with them. */
export function applyJsonPatch(current: unknown, patch: unknown): unknown {
  const operations = parseOperations(patch);
  // The root is held in a list so that replacing the whole document is not a special case.
  const holder = [deepClone(current)];
  let copiedBytes = 0;
  for (const operation of operations) {
    // A copy into its own depths makes the document deeper each time.
    if ('from' in operation && exceedsDepth(lookUp(holder, operation.from, operation.op))) {
      throw rejected(
        `${operation.op} operation does not apply: ${operation.from} nests deeper than ${MAX_DEPTH} levels`,
      );
    }
    if (operation.op === 'copy') {
      copiedBytes += JSON.stringify(lookUp(holder, operation.from, 'copy')).length;
      if (copiedBytes > MAX_COPIED_BYTES) {
        throw rejected(`the copy operations of the patch copy more than ${MAX_COPIED_BYTES} bytes`);
      }
    }
    applyOperation(holder, operation);
  }
  return holder[0];
}

function applyOperation(holder: unknown[], operation: Operation): void {
  const { op, path } = operation;
  if (op === 'add') {
    insert(holder, path, deepClone(operation.value), op);
  } else if (op === 'remove') {
    remove(holder, path, op);
  } else if (op === 'replace') {
    replace(holder, path, deepClone(operation.value));
  } else if (op === 'move') {
    move(holder, operation.from, path);
  } else if (op === 'copy') {
    insert(holder, path, deepClone(lookUp(holder, operation.from, op)), op);
  } else if (op === 'test' && !passesTest(holder, path, operation.value)) {
    throw rejected(`testing value ${path} failed`);
  }
}

/** A test for null also passes where the field is missing, as in Kubernetes: clients ask for absence that way. */
function passesTest(holder: unknown[], path: string, value: unknown): boolean {
  const { parent, token } = parentOf(holder, path, 'test');
  if (value === null && isObject(parent) && !Object.hasOwn(parent, token)) return true;
  return deepEqual(child(parent, token, path, 'test'), value);
}

function replace(holder: unknown[], path: string, value: unknown): void {
  lookUp(holder, path, 'replace');
  const { parent, token } = parentOf(holder, path, 'replace');
  if (Array.isArray(parent)) parent[Number(token)] = value;
  else setOwn(parent, token, value);
}

function move(holder: unknown[], from: string, path: string): void {
  if (path.startsWith(`${from}/`)) {
    throw rejected(`move operation does not apply: ${from} cannot be moved into itself at ${path}`);
  }
  const value = lookUp(holder, from, 'move');
  if (from === path) return;
  remove(holder, from, 'move');
  insert(holder, path, value, 'move');
}

function parseOperations(patch: unknown): Operation[] {
  if (!Array.isArray(patch)) throw badRequest('json: a JSON patch must be a list of operations');
  if (patch.length > MAX_OPERATIONS) {
    throw new ApiError(
      'RequestEntityTooLarge',
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${patch.length}`,
    );
  }
  return patch.map(parseOperation);
}

function parseOperation(operation: unknown, index: number): Operation {
  const bad = (why: string) => badRequest(`json patch: operation ${index}: ${why}`);
  if (!isObject(operation)) throw bad('must be an object');
  const { op, path, from } = operation;
  if (typeof path !== 'string') throw bad('path must be a string');
  if (path.split('/', MAX_DEPTH + 2).length > MAX_DEPTH) throw bad(`path has more than ${MAX_DEPTH} steps`);
  if (path !== '' && !path.startsWith('/')) throw bad(`path ${JSON.stringify(path)} must be empty or start with /`);
  switch (op) {
    case 'add':
    case 'replace':
    case 'test':
      // A value that is missing counts as null, as in Kubernetes.
      return { op, path, value: operation.value ?? null };
    case 'remove':
      return { op, path };
    case 'move':
    case 'copy':
      if (typeof from !== 'string' || (from !== '' && !from.startsWith('/'))) {
        throw bad(`from ${JSON.stringify(from)} must be a JSON pointer`);
      }
      return { op, path, from };
    default:
      throw bad(`Unexpected kind: ${JSON.stringify(op)}`);
  }
}

const tokensOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The list or object that holds what `path` names; the holder itself for the root. */
function parentOf(holder: unknown[], path: string, op: string): { parent: JsonObject | unknown[]; token: string } {
  const tokens = path === '' ? [] : tokensOf(path);
  const token = tokens.pop() ?? '0';
  if (path === '') return { parent: holder, token };
  let value = holder[0];
  for (const step of tokens) value = child(value, step, path, op);
  if (!isObject(value) && !Array.isArray(value)) throw missing(op, path);
  return { parent: value, token };
}

function lookUp(holder: unknown[], path: string, op: string): unknown {
  const { parent, token } = parentOf(holder, path, op);
  return child(parent, token, path, op);
}

function child(value: unknown, token: string, path: string, op: string): unknown {
  if (Array.isArray(value)) return value[indexOf(token, value.length - 1, path, op)];
  if (!isObject(value) || !Object.hasOwn(value, token)) throw missing(op, path);
  return own(value, token);
}

function insert(holder: unknown[], path: string, value: unknown, op: string): void {
  const { parent, token } = parentOf(holder, path, op);
  if (!Array.isArray(parent)) setOwn(parent, token, value);
  else if (parent === holder) holder[0] = value;
  else if (token === '-') parent.push(value);
  else parent.splice(indexOf(token, parent.length, path, op), 0, value);
}

function remove(holder: unknown[], path: string, op: string): void {
  const { parent, token } = parentOf(holder, path, op);
  if (parent === holder) throw rejected(`${op} operation does not apply: the whole document cannot be removed`);
  lookUp(holder, path, op);
  if (Array.isArray(parent)) parent.splice(Number(token), 1);
  else delete parent[token];
}

function indexOf(token: string, last: number, path: string, op: string): number {
  const index = /^(0|[1-9]\d{0,9})$/.test(token) ? Number(token) : -1;
  if (index < 0 || index > last) {
    throw rejected(`${op} operation does not apply: ${path}: Unable to access invalid index: ${token}`);
  }
  return index;
}

const missing = (op: string, path: string): ApiError =>
  rejected(`${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`);

/** The patch is well-formed, but does not fit the object. */
const rejected = (why: string): ApiError =>
  new ApiError('Invalid', `the server rejected our request due to an error in our request: ${why}`, {});
