import type { Schema } from '@vireo/api';
import { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';

/**
 * Values in a CRD's schema that are a schema or something else. JSON writes the one or the other; protobuf writes a
 * message with a field number for each.
 */
export interface Alternative {
  readonly schema: Schema;
  readonly schemaField: number;
  readonly other: Schema;
  readonly otherField: number;
}

const alternatives: Readonly<Record<string, Alternative>> = {
  JSONSchemaPropsOrArray: {
    schema: JSONSchemaProps,
    schemaField: 1,
    other: { type: 'array', items: JSONSchemaProps },
    otherField: 2,
  },
  JSONSchemaPropsOrBool: { schema: JSONSchemaProps, schemaField: 2, other: { type: 'boolean' }, otherField: 1 },
  JSONSchemaPropsOrStringArray: {
    schema: JSONSchemaProps,
    schemaField: 1,
    other: { type: 'array', items: { type: 'string' } },
    otherField: 2,
  },
};

/** By the schema's `protoMessage`; undefined for those that are no alternatives. */
export const alternativeOf = (protoMessage = ''): Alternative | undefined =>
  Object.hasOwn(alternatives, protoMessage) ? alternatives[protoMessage] : undefined;

/** Whether Go reads a value by code of its own, which drops unknown and repeated fields without a word. */
export const isOpaque = ({ protoMessage }: Schema): boolean =>
  protoMessage === 'raw' || alternativeOf(protoMessage) !== undefined;
