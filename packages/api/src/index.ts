export * from './crd.ts';
export * from './errors.ts';
export * from './kind.ts';
export * from './kinds/index.ts';
export * from './meta.ts';
export * from './openapi.ts';
export type { Infer, Property, Schema } from './schema.ts';
export * as schema from './schema.ts';
