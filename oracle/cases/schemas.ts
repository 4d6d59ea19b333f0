import { type Schema, withSpec } from './steps.ts';

const string = { type: 'string' };
const integer = { type: 'integer' };

/** Every kind of node that ownership treats in its own way. */
export const EVERYTHING: Schema = withSpec({
  replicas: integer,
  text: string,
  flag: { type: 'boolean' },
  number: { type: 'number' },
  maybe: { type: 'string', nullable: true },
  defaulted: { type: 'string', default: 'preset' },
  port: { 'x-kubernetes-int-or-string': true },
  nested: { type: 'object', properties: { a: string, b: string, deep: { type: 'object', properties: { c: string } } } },
  whole: { type: 'object', properties: { a: string, b: string }, 'x-kubernetes-map-type': 'atomic' },
  labels: { type: 'object', additionalProperties: string },
  wholeLabels: { type: 'object', additionalProperties: string, 'x-kubernetes-map-type': 'atomic' },
  maps: { type: 'object', additionalProperties: { type: 'object', properties: { a: string, b: string } } },
  list: { type: 'array', items: string },
  objects: { type: 'array', items: { type: 'object', properties: { a: string, b: string } } },
  set: { type: 'array', items: string, 'x-kubernetes-list-type': 'set' },
  numbers: { type: 'array', items: integer, 'x-kubernetes-list-type': 'set' },
  items: {
    type: 'array',
    items: {
      type: 'object',
      required: ['name'],
      properties: { name: string, value: string, more: { type: 'object', properties: { x: string } } },
    },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  },
  ports: {
    type: 'array',
    items: {
      type: 'object',
      required: ['port'],
      properties: { port: integer, protocol: { type: 'string', default: 'TCP' }, name: string },
    },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['port', 'protocol'],
  },
  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  anything: { 'x-kubernetes-preserve-unknown-fields': true },
  resource: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  time: { type: 'string', format: 'date-time' },
});
