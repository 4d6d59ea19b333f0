import type { Schema } from '../../schema.ts';

/** An object of any kind, carried as it is. In protobuf its JSON bytes stand in field 1. */
export const RawExtension: Schema<Record<string, unknown>> = {
  name: 'io.k8s.apimachinery.pkg.runtime.RawExtension',
  description: 'An object of any kind, carried as it is.',
  type: 'object',
  preserveUnknownFields: true,
  protoMessage: 'raw',
};
