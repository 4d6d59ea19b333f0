import { useCallback, useEffect, useRef, useState } from 'react';
import type { Api } from '../../data/api.ts';
import { keyOf } from '../../data/kinds.ts';
import type { Pod } from '../../data/nodeKinds.ts';
import { Refused } from '../../data/refused.ts';
import { answerTo, type Evicting, podsToEvict } from '../../decisions/nodes/drain.ts';
import { useSession } from '../session.tsx';

/** How often a pod that has not left is asked again, as kubectl does. */
const AGAIN_MS = 5_000;

export interface Drain {
  /** Undefined before the first drain. */
  readonly evicting: readonly Evicting[] | undefined;
  readonly isRunning: boolean;
  readonly problem: string | undefined;
  readonly start: () => Promise<void>;
  readonly stop: () => void;
}

/** Cordons a node and evicts its pods until all have left or the user stops. */
export function useDrain(node: string): Drain {
  const { api } = useSession().session;
  const [evicting, setEvicting] = useState<readonly Evicting[]>();
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<string>();
  const running = useRef<AbortController>(undefined);
  const stop = useCallback((): void => running.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const start = useCallback(async (): Promise<void> => {
    const control = new AbortController();
    running.current = control;
    setRunning(true);
    setProblem(undefined);
    try {
      await api.patch(`/api/v1/nodes/${encodeURIComponent(node)}`, [
        { op: 'add', path: '/spec/unschedulable', value: true },
      ]);
      const all = await podsOn(api, node);
      let left = all;
      const answers = new Map<string, Pick<Evicting, 'state' | 'message'>>();
      while (!control.signal.aborted) {
        for (const pod of left) answers.set(keyOf(pod), await evict(api, pod));
        left = await podsOn(api, node);
        const here = new Set(left.map(({ metadata }) => metadata.uid));
        setEvicting(
          all.map((pod) => ({
            key: keyOf(pod),
            namespace: pod.metadata.namespace ?? '',
            name: pod.metadata.name,
            ...(here.has(pod.metadata.uid) ? (answers.get(keyOf(pod)) ?? { state: 'waiting' }) : { state: 'gone' }),
          })),
        );
        if (left.length === 0) break;
        await pause(AGAIN_MS, control.signal);
      }
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setRunning(false);
    }
  }, [api, node]);
  return { evicting, isRunning, problem, start, stop };
}

async function podsOn(api: Api, node: string): Promise<Pod[]> {
  const selector = encodeURIComponent(`spec.nodeName=${node}`);
  const { items = [] } = await api.request<{ items?: Pod[] }>('GET', `/api/v1/pods?fieldSelector=${selector}`);
  return podsToEvict(items);
}

async function evict(api: Api, { metadata }: Pod): Promise<Pick<Evicting, 'state' | 'message'>> {
  const { namespace = '', name } = metadata;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction`;
  try {
    await api.request('POST', path, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } });
    return answerTo(undefined, '');
  } catch (error) {
    if (error instanceof Refused) return answerTo(error.code, error.message);
    throw error;
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
