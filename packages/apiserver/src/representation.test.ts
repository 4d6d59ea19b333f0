import { describe, expect, it } from 'vitest';
import { encodingFor } from './accept.ts';
import { negotiate, type Restrictions } from './representation.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const META = 'v=v1;g=meta.k8s.io';
const TABLE = `application/json;as=Table;${META}`;
const read = (accept: string | undefined, restrictions: Restrictions = {}) =>
  negotiate(accept, new URLSearchParams(), restrictions);

describe('the form of a response', () => {
  it.each<[string | undefined, Restrictions, object]>([
    [undefined, {}, { as: 'object' }],
    ['*/*', {}, { as: 'object' }],
    ['application/yaml', {}, { as: 'object' }],
    [`${PROTOBUF},application/json`, {}, { as: 'object' }],
    [PROTOBUF, {}, { as: 'object', protobuf: true }],
    [`${PROTOBUF},*/*`, { custom: true }, { as: 'object' }],
    [TABLE, {}, { as: 'table', includeObject: 'Metadata' }],
    [`${TABLE},application/json`, { noTable: true }, { as: 'object' }],
    [`application/json;q=0.5,${TABLE}`, {}, { as: 'table', includeObject: 'Metadata' }],
    [`*/*,${TABLE}`, {}, { as: 'table', includeObject: 'Metadata' }],
    [`${PROTOBUF};as=PartialObjectMetadata;${META}`, { custom: true }, { as: 'partial', protobuf: true }],
    [
      `${PROTOBUF};as=PartialObjectMetadata;${META},application/json;as=PartialObjectMetadata;${META}`,
      {},
      { as: 'partial' },
    ],
    [
      `${PROTOBUF};as=PartialObjectMetadata;${META},application/json`,
      { custom: true },
      { as: 'partial', protobuf: true },
    ],
  ])('%s %j', (accept, restrictions, expected) => {
    expect(read(accept, restrictions)).toEqual(expected);
  });

  it.each<[string, Restrictions, string]>([
    ['text/html', {}, `application/json, application/yaml, ${PROTOBUF}`],
    [TABLE, { noTable: true }, `application/json, application/yaml, ${PROTOBUF}`],
    [`${PROTOBUF};as=Table;${META}`, {}, `application/json, application/yaml, ${PROTOBUF}`],
    ['application/json;as=Table;v=v2;g=meta.k8s.io', {}, `application/json, application/yaml, ${PROTOBUF}`],
    [PROTOBUF, { custom: true }, 'application/json, application/yaml'],
    ['application/yaml', { stream: true }, `application/json;stream=watch, ${PROTOBUF};stream=watch`],
  ])('%s %j is not there', (accept, restrictions, accepted) => {
    expect(() => read(accept, restrictions)).toThrow(
      expect.objectContaining({ code: 406, message: `only the following media types are accepted: ${accepted}` }),
    );
  });
});

it.each([
  [undefined, 'json'],
  ['application/json', 'json'],
  [`${PROTOBUF}, application/json`, 'json'],
  [`${PROTOBUF}, application/yaml`, 'yaml'],
  [PROTOBUF, 'protobuf'],
  ['application/*', 'json'],
  ['text/plain', undefined],
  [TABLE, undefined],
])('a response of one form is written for %s as %s', (accept, encoding) => {
  expect(encodingFor(accept)).toBe(encoding);
});
