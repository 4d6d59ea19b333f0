import type { Case, Step } from '../case.ts';
import { apply, applyText, crd, create, edit, get, jsonPatch, mergePatch, put } from './steps.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { replicas: { type: 'integer' }, text: { type: 'string' } } },
    status: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        selector: { type: 'string' },
        phase: { type: 'string' },
        conditions: {
          type: 'array',
          items: {
            type: 'object',
            required: ['type'],
            properties: { type: { type: 'string' }, status: { type: 'string' } },
          },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
        },
      },
    },
  },
};
const SUBRESOURCES = {
  status: {},
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
};

const of = (name: string, ...steps: Step[]): Case => ({
  name: `subresources: ${name}`,
  area: 'apply',
  steps: [crd(SCHEMA, SUBRESOURCES), ...steps],
});

const status = { subresource: 'status' };
const scale = { subresource: 'scale' };
const scaleOf = (replicas: unknown, metadata: object = {}) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'w', namespace: 'default', ...metadata },
  spec: { replicas },
});

/** Who owns what after writes of status and scale. */
export const SUBRESOURCE_CASES: readonly Case[] = [
  of(
    'status in a create and in an apply is dropped',
    create({ spec: { text: 'a' }, status: { phase: 'x' } }, { manager: 'creator' }),
    apply('a', { spec: { text: 'a' }, status: { phase: 'y' } }),
    apply('a', { status: { phase: 'y' } }),
  ),
  of(
    'an update of status',
    create({ spec: { text: 'a' } }, { manager: 'creator' }),
    edit(
      { status: { phase: 'x' }, spec: { text: 'ignored' }, metadata: { labels: { a: 'b' } } },
      { ...status, manager: 'controller' },
    ),
    mergePatch({ status: { phase: 'y' } }, { ...status, manager: 'controller' }),
    mergePatch({ status: { replicas: 1 }, spec: { text: 'z' } }, { ...status, manager: 'other' }),
    jsonPatch([{ op: 'add', path: '/status/selector', value: 'a=b' }], { ...status, manager: 'third' }),
    mergePatch({ status: null }, { ...status, manager: 'fourth' }),
    get(),
    get(status),
  ),
  of(
    'an apply of status',
    create({ spec: { text: 'a' } }, { manager: 'creator' }),
    apply('controller', { status: { phase: 'x', conditions: [{ type: 'Ready', status: 'True' }] } }, status),
    apply(
      'other',
      {
        status: {
          conditions: [
            { type: 'Other', status: 'True' },
            { type: 'Ready', status: 'False' },
          ],
        },
      },
      status,
    ),
    apply('other', { status: { conditions: [{ type: 'Other', status: 'True' }] } }, status),
    apply('controller', { spec: { text: 'b' }, metadata: { labels: { a: 'b' } }, status: { phase: 'y' } }, status),
    apply('controller', { status: {} }, status),
    apply('controller', { spec: { text: 'mine' } }),
    apply('controller', { spec: { text: 'mine' } }, { force: true }),
    apply('controller', { status: { phase: 'z' } }, status),
    get(),
  ),
  of(
    'an apply of status to what is not there',
    apply('a', { status: { phase: 'x' } }, status),
    apply('a', { metadata: { uid: 'x' }, status: {} }, status),
  ),
  of(
    'conflicts over status',
    apply('a', { spec: { text: 'x' } }),
    mergePatch({ status: { phase: 'x' } }, { ...status, manager: 'updater' }),
    apply('applier', { status: { phase: 'y' } }, status),
    apply('applier', { status: { phase: 'y' } }, { ...status, force: true }),
    apply('second', { status: { phase: 'z' } }, status),
  ),
  of(
    'scale',
    create({ spec: { replicas: 1, text: 'a' } }, { manager: 'creator' }),
    get(scale),
    { ...put({}, scale), body: scaleOf(2), query: { fieldManager: 'scaler' } },
    mergePatch({ spec: { replicas: 3 } }, { ...scale, manager: 'patcher' }),
    applyText('applier', scaleOf(4), scale),
    applyText('applier', scaleOf(4), { ...scale, force: true }),
    get(),
    applyText('second', scaleOf(4), scale),
    applyText('second', scaleOf(5), scale),
    get(),
    apply('main', { spec: { replicas: 6 } }),
    apply('main', { spec: { replicas: 6 } }, { force: true }),
    applyText('applier', { ...scaleOf(0), spec: {} }, scale),
    get(),
    get(scale),
  ),
  of(
    'scale of an applied object',
    apply('a', { spec: { replicas: 1 } }),
    mergePatch({ spec: { replicas: 2 } }, { ...scale, manager: 'autoscaler' }),
    get(),
    apply('a', { spec: { replicas: 1 } }),
    apply('a', { spec: {} }),
    get(),
  ),
  of(
    'a scale that is wrong',
    create({ spec: { replicas: 1 } }, { manager: 'creator' }),
    { ...put({}, scale), body: scaleOf(-1) },
    { ...put({}, scale), body: scaleOf('x') },
    { ...put({}, scale), body: scaleOf(2, { resourceVersion: '1' }) },
    { ...put({}, scale), body: scaleOf(2, { name: 'other' }) },
    { ...put({}, scale), body: { ...scaleOf(2), kind: 'Widget' } },
    mergePatch({ spec: { replicas: -3 } }, scale),
    mergePatch({ spec: { foo: 1 } }, scale),
    mergePatch({ spec: { foo: 1 } }, { ...scale, query: { fieldValidation: 'Strict' } }),
    applyText('a', scaleOf(-1), scale),
    applyText('a', { ...scaleOf(1), spec: { foo: 1 } }, scale),
    applyText('a', { ...scaleOf(1), foo: 1 }, scale),
    applyText('a', { ...scaleOf(1), apiVersion: '{group}/v1', kind: 'Widget' }, scale),
    applyText(undefined, scaleOf(1), scale),
  ),
  of(
    'a scale without replicas',
    create({ spec: { text: 'a' } }, { manager: 'creator' }),
    get(scale),
    mergePatch({ spec: { replicas: 3 } }, { ...scale, manager: 'scaler' }),
    get(),
  ),
];
