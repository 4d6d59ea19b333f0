/** What expressions of mutations make: `Object{spec: Object.spec{…}}` and `JSONPatch{op: 'add', …}`. */
import {
  CelError,
  type CelType,
  type CelValue,
  DYN,
  Entries,
  type Result,
  STRING,
  type StructType,
  type StructTypes,
  structType,
  Values,
} from '../../cel/index.ts';
import { equal } from '../../cel/values/equality.ts';
import { type CelMap, typeName } from '../../cel/values/values.ts';

export const OBJECT = structType('Object');
export const JSON_PATCH = structType('JSONPatch');

/** Something with the fields that an expression gave it. */
export class Made implements CelMap {
  readonly isMap = true;
  readonly type: CelType;
  readonly fields: ReadonlyMap<string, CelValue>;

  constructor(type: CelType, fields: ReadonlyMap<string, CelValue>) {
    this.type = type;
    this.fields = fields;
  }

  get size(): number {
    return this.fields.size;
  }

  find(key: CelValue): Result | undefined {
    return typeof key === 'string' ? this.fields.get(key) : undefined;
  }

  keys(): Iterable<CelValue> {
    return this.fields.keys();
  }

  equals(other: CelMap): boolean | CelError {
    if (other.type?.name !== this.type.name || other.size !== this.size) return false;
    for (const [name, value] of this.fields) {
      const theirs = other.find(name);
      if (theirs === undefined) return false;
      const same = theirs instanceof CelError ? theirs : equal(value, theirs);
      if (same !== true) return same;
    }
    return true;
  }
}

/** Objects have any fields: the schema is looked at when the configuration is merged. */
const objectType = (name: string): StructType => {
  const type = structType(name);
  return { type, field: () => DYN, create: (fields) => new Made(type, fields) };
};

const PATCH_FIELDS: Readonly<Record<string, CelType>> = { op: STRING, path: STRING, from: STRING, value: DYN };

const patchType: StructType = {
  type: JSON_PATCH,
  field: (name) => (Object.hasOwn(PATCH_FIELDS, name) ? PATCH_FIELDS[name] : undefined),
  create(fields) {
    for (const name of ['op', 'path', 'from']) {
      const value = fields.get(name);
      if (value !== undefined && typeof value !== 'string')
        return new CelError(`unexpected type ${typeName(value)} for JSONPatchType '${name}' field`);
    }
    return new Made(JSON_PATCH, fields);
  },
};

/** The types of mutations: JSONPatch, Object, and Object.a.b for what stands at that path. */
export const patchTypes: StructTypes = {
  find(name) {
    if (name === JSON_PATCH.name) return patchType;
    return name === OBJECT.name || name.startsWith(`${OBJECT.name}.`) ? objectType(name) : undefined;
  },
};

/** What is wrong with the names of the types in an `Object{…}`: they are the path from the root. */
export function typeNameErrors(value: Result, path: readonly string[] = [OBJECT.name]): string[] {
  if (value instanceof Made) {
    const expected = path.join('.');
    const own =
      value.type.name === expected
        ? []
        : [
            `unexpected type name "${value.type.name}", expected "${expected}", which matches field name path from root Object type`,
          ];
    return [...own, ...[...value.fields].flatMap(([name, field]) => typeNameErrors(field, [...path, name]))];
  }
  // Lists and maps that come from the request have no such objects inside.
  if (value instanceof Values) return value.elements.flatMap((element) => typeNameErrors(element, path));
  return value instanceof Entries
    ? [...value.entries.values()].flatMap(([, element]) => typeNameErrors(element, path))
    : [];
}
