import { defineKind, objectFields, schema } from '@vireo/api';
import { int, optional, required } from '@vireo/api/kinds/customResource.ts';

const StatusSchema = schema.struct('com.example.net.GatewayStatus', 'Observed state of the gateway.', {
  reserved: optional(schema.string, 'The address that is reserved for the gateway.'),
});
const names = { group: 'net.example.com', kind: 'Gateway', plural: 'gateways', namespaced: true, status: true };

const SpecV1 = schema.struct('com.example.net.v1.GatewaySpec', 'Desired state of the gateway.', {
  address: required(schema.string, 'Host and port: web.example.com:443.'),
});
const SchemaV1 = schema.struct('com.example.net.v1.Gateway', 'An address that is reserved.', {
  ...objectFields,
  spec: required(SpecV1, 'Desired state of the gateway.'),
  status: optional(StatusSchema, 'Observed state of the gateway.'),
});
/** The first version of the operator's kind. */
export interface GatewayV1 extends schema.Infer<typeof SchemaV1> {}
export const GatewayV1 = defineKind<GatewayV1>({ ...names, version: 'v1', schema: SchemaV1, columns: [] });

const SpecV2 = schema.struct('com.example.net.v2.GatewaySpec', 'Desired state of the gateway.', {
  host: required(schema.string, 'Name of the host.'),
  port: required(int, 'Port on the host.'),
});
const SchemaV2 = schema.struct('com.example.net.v2.Gateway', 'An address that is reserved.', {
  ...objectFields,
  spec: required(SpecV2, 'Desired state of the gateway.'),
  status: optional(StatusSchema, 'Observed state of the gateway.'),
});
/** The second version, in which host and port are fields of their own. */
export interface GatewayV2 extends schema.Infer<typeof SchemaV2> {}
export const GatewayV2 = defineKind<GatewayV2>({ ...names, version: 'v2', schema: SchemaV2, columns: [] });

/** The address of a gateway in either version. */
export function addressOf({ spec }: { readonly spec: object }): string {
  const { address, host, port } = spec as Partial<GatewayV1['spec'] & GatewayV2['spec']>;
  return address ?? `${host}:${port}`;
}

/** A gateway in another version. */
export function convertGateway<T extends { readonly spec: object }>(gateway: T, apiVersion: string): T {
  const address = addressOf(gateway);
  const colon = address.lastIndexOf(':');
  const spec = apiVersion.endsWith('/v1')
    ? { address }
    : { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) };
  return { ...gateway, apiVersion, spec };
}
