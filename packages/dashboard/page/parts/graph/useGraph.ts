import { useCallback, useEffect, useRef, useState } from 'react';
import type { GraphNode } from '../../data/kinds.ts';
import { Refused } from '../../data/refused.ts';
import { useSession } from '../session.tsx';

export interface GraphState {
  /** The last graph that was read; it stays when a later read fails. */
  readonly root: GraphNode | undefined;
  readonly problem: string | undefined;
  readonly reload: () => void;
}

/** Changes come in bursts while a machine starts; the graph is read once after each. */
const SETTLE_MS = 750;

/** The graph at a path, read again whenever `version` changes, which is that of the objects that are watched. */
export function useGraph(path: string, version: string): GraphState {
  const { api } = useSession().session;
  const [root, setRoot] = useState<GraphNode>();
  const [problem, setProblem] = useState<string>();
  const isFirst = useRef(true);
  const newest = useRef(0);
  const load = useCallback(async (): Promise<void> => {
    const own = ++newest.current;
    try {
      const next = await api.request<GraphNode>('GET', path);
      if (own !== newest.current) return;
      setRoot(next);
      setProblem(undefined);
    } catch (error) {
      if (own === newest.current) setProblem(problemOf(error));
    }
  }, [api, path]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another graph
  useEffect(() => {
    const timer = setTimeout(() => void load(), isFirst.current ? 0 : SETTLE_MS);
    isFirst.current = false;
    return () => clearTimeout(timer);
  }, [load, version]);
  return { root, problem, reload: () => void load() };
}

function problemOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  if (error instanceof Refused && error.code === 404)
    return `This server has no object graph, or it is turned off: ${words}`;
  return `The object graph cannot be read: ${words}`;
}
