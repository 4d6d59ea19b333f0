import { protobufEntry } from './gnostic.ts';
import type { Form } from './negotiate.ts';

export type List = 'paths' | 'definitions' | 'parameters';

/** One path, definition or parameter of the document, as it is written. */
export interface Entry {
  readonly name: string;
  /** In JSON `"name":{…}`. Protobuf is written when it is first asked for. */
  bytes(form: Form): Buffer;
}

/** Keeps no more than the bytes: a document has thousands of small objects. */
export function entryOf(list: List, name: string, value: unknown): Entry {
  const text = JSON.stringify(value);
  const json = Buffer.from(`${JSON.stringify(name)}:${text}`);
  const valueStart = json.length - Buffer.byteLength(text);
  let protobuf: Buffer | undefined;
  return {
    name,
    bytes: (form) => {
      if (form === 'json') return json;
      protobuf ??= protobufEntry(list, name, JSON.parse(json.subarray(valueStart).toString()));
      return protobuf;
    },
  };
}
