/**
 * Structs that Kubernetes' Go types hold by value: they are always there, empty if nothing is in them. So nobody owns
 * them, only the fields in them.
 */
import type { Property, Schema } from '@vireo/api';

const VALUE_STRUCTS = new Set([
  'acceptedNames',
  'daemonEndpoints',
  'jobTemplate',
  'kubeletEndpoint',
  'lastState',
  'loadBalancer',
  'metadata',
  'names',
  'nodeInfo',
  'source',
  'spec',
  'state',
  'status',
  'strategy',
  'template',
  'updateStrategy',
]);

/** Pods hold their resources by a pointer; these do not. */
const HOLDS_RESOURCES = /\.(?:Container|EphemeralContainer|PersistentVolumeClaimSpec)$/;

const NONE: ReadonlySet<string> = new Set();
const known = new WeakMap<Schema, ReadonlySet<string>>();

/** The fields of a built-in struct that are such structs. */
export function valueStructsOf(schema: Schema | undefined): ReadonlySet<string> {
  if (!schema?.properties) return NONE;
  let names = known.get(schema);
  if (!names) {
    const { properties, name = '' } = schema;
    names = new Set(
      Object.keys(properties).filter((field) => isValueStruct(properties[field] as Property, field, name)),
    );
    known.set(schema, names);
  }
  return names;
}

function isValueStruct({ schema, proto }: Property, field: string, parent: string): boolean {
  if (proto === undefined || !schema.properties || schema.mapType === 'atomic') return false;
  return VALUE_STRUCTS.has(field) || (field === 'resources' && HOLDS_RESOURCES.test(parent));
}
