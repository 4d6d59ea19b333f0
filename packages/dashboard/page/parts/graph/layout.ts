import { Graph, layout } from '@dagrejs/dagre';
import type { GraphLink, GraphModel, GraphObject } from '../../decisions/graphModel.ts';

export const NODE_WIDTH = 208;
export const NODE_HEIGHT = 48;
const MARGIN = 16;

export interface Placed {
  readonly object: GraphObject;
  /** The upper left corner. */
  readonly x: number;
  readonly y: number;
}

export interface Drawing {
  readonly width: number;
  readonly height: number;
  /** From left to right, and from the top down. */
  readonly nodes: readonly Placed[];
  readonly links: readonly { readonly link: GraphLink; readonly path: string }[];
}

/** Places the graph in layers from left to right, the machine first. */
export function drawingOf({ root, objects, links }: GraphModel): Drawing {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 16, ranksep: 72, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const key of objects.keys()) graph.setNode(key, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { from, to } of links) if (to !== root) graph.setEdge(from, to);
  layout(graph);
  const place = (key: string): Point => graph.node(key) as Point;
  const nodes = [...objects.values()].map((object) => {
    const { x, y } = place(object.key);
    return { object, x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 };
  });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width,
    height,
    nodes: nodes.sort((a, b) => a.x - b.x || a.y - b.y),
    links: links
      .filter(({ to }) => to !== root)
      .map((link) => {
        const { points } = graph.edge(link.from, link.to) as { points: Point[] };
        return { link, path: curve(sideToSide(points, place(link.from), place(link.to))) };
      }),
  };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The points of a link, from the right side of a node to the left side of the next one wherever that is ahead. */
function sideToSide(points: readonly Point[], from: Point, to: Point): Point[] {
  const sign = from.x < to.x ? 1 : -1;
  const half = (NODE_WIDTH / 2) * sign;
  return [{ x: from.x + half, y: from.y }, ...points.slice(1, -1), { x: to.x - half, y: to.y }];
}

/** A line through the points that leaves and arrives level. */
function curve([first, ...rest]: readonly Point[]): string {
  if (!first) return '';
  let before = first;
  const parts = rest.map((point) => {
    const middle = (before.x + point.x) / 2;
    const part = `C${round(middle)} ${round(before.y)} ${round(middle)} ${round(point.y)} ${round(point.x)} ${round(point.y)}`;
    before = point;
    return part;
  });
  return `M${round(first.x)} ${round(first.y)}${parts.join('')}`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

/** The next node in a direction: the nearest one of the layer beside it, or of its own layer. */
export function neighbour({ nodes }: Drawing, key: string, direction: Direction): string | undefined {
  const from = nodes.find(({ object }) => object.key === key);
  if (!from) return nodes[0]?.object.key;
  const isLevel = direction === 'ArrowLeft' || direction === 'ArrowRight';
  const sign = direction === 'ArrowLeft' || direction === 'ArrowUp' ? -1 : 1;
  const ahead = nodes.filter(({ x, y }) =>
    isLevel ? (x - from.x) * sign > 0 : x === from.x && (y - from.y) * sign > 0,
  );
  const far = ({ x, y }: Placed): number =>
    isLevel ? Math.abs(x - from.x) * 1_000 + Math.abs(y - from.y) : Math.abs(y - from.y);
  return ahead.sort((a, b) => far(a) - far(b))[0]?.object.key;
}
