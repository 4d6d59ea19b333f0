import { groupVersion, sharedKinds } from '@vireo/api';
import { expect, it } from 'vitest';
import { bodySchema, protobufResponse } from './bodies.ts';
import { decodeProtobuf } from './decode.ts';
import { encodeProtobuf } from './encode.ts';

it.each(['v1', 'apps/v1', 'kubevirt.io/v1', 'meta.k8s.io/v1', 'example.com/v1beta3'])(
  'options and the like are known in %s',
  (apiVersion) => {
    for (const { kind, schema } of sharedKinds) {
      expect(bodySchema(apiVersion, kind), kind).toBe(schema);
      const body = encodeProtobuf({ apiVersion, kind }, schema as never);
      expect(decodeProtobuf(body, bodySchema), kind).toMatchObject({ apiVersion, kind });
    }
  },
);

it('other kinds are known in their own group and version alone', () => {
  expect(bodySchema('apps/v1', 'Deployment')).toBeDefined();
  expect(bodySchema('v1', 'Deployment')).toBeUndefined();
  expect(bodySchema(groupVersion('kubevirt.io', 'v1'), 'VirtualMachine')).toBeUndefined();
});

it('what has no protobuf form is left to JSON', () => {
  expect(protobufResponse({ kind: 'VirtualMachine', apiVersion: 'kubevirt.io/v1' })).toBeUndefined();
  expect(protobufResponse('text')).toBeUndefined();
});
