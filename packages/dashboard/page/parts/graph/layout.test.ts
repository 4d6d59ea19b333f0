import { expect, it } from 'vitest';
import type { GraphNode } from '../../data/kinds.ts';
import { modelOf } from '../../decisions/graphModel.ts';
import { drawingOf, NODE_HEIGHT, neighbour } from './layout.ts';

const node = (name: string, ...children: GraphNode[]): GraphNode => ({
  objectReference: { apiGroup: '', kind: 'Thing', name, namespace: '' },
  children,
});
const key = (name: string): string => `/Thing//${name}`;
const drawing = drawingOf(modelOf(node('web', node('a', node('c')), node('b', node('c')))));
const placeOf = (name: string) => drawing.nodes.find(({ object }) => object.name === name);

it('the machine is left, and what it needs lies right of it without overlap', () => {
  const [web, a, b, c] = ['web', 'a', 'b', 'c'].map(placeOf);
  expect(web?.x).toBeLessThan(a?.x ?? 0);
  expect(a?.x).toBe(b?.x);
  expect(c?.x).toBeGreaterThan(b?.x ?? 0);
  expect(Math.abs((a?.y ?? 0) - (b?.y ?? 0))).toBeGreaterThanOrEqual(NODE_HEIGHT + 16);
  expect(drawing.links).toHaveLength(4);
  expect(drawing.links[0]?.path).toMatch(/^M[\d.]+ [\d.]+C/);
});

it('arrow keys lead to the nearest node', () => {
  const upper = (placeOf('a')?.y ?? 0) < (placeOf('b')?.y ?? 0) ? 'a' : 'b';
  const lower = upper === 'a' ? 'b' : 'a';
  expect(neighbour(drawing, key(upper), 'ArrowDown')).toBe(key(lower));
  expect(neighbour(drawing, key(lower), 'ArrowUp')).toBe(key(upper));
  expect(neighbour(drawing, key('a'), 'ArrowRight')).toBe(key('c'));
  expect(neighbour(drawing, key('a'), 'ArrowLeft')).toBe(key('web'));
  expect(neighbour(drawing, key('web'), 'ArrowLeft')).toBeUndefined();
});

it('a cycle is drawn, too', () => {
  expect(drawingOf(modelOf(node('web', node('a', node('web'))))).nodes).toHaveLength(2);
});
