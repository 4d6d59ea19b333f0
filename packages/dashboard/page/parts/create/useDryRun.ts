import { useEffect, useState } from 'react';
import { missing } from '../../decisions/create/checks.ts';
import type { Objects } from '../../decisions/create/objects.ts';
import type { Problem } from '../../decisions/yaml/problems.ts';
import { useSession } from '../session.tsx';
import { tryMachine } from './createMachine.ts';

/** How long nobody must have typed before the server is asked. */
const QUIET_MS = 600;
const NONE: readonly Problem[] = [];

export interface DryRun {
  readonly problems: readonly Problem[];
  /** Undefined while nothing has been asked. */
  readonly state: 'asking' | 'accepted' | 'refused' | undefined;
}

/** What the server would say to these objects; asked again after each change. */
export function useDryRun(objects: Objects, isWanted: boolean): DryRun {
  const { api } = useSession().session;
  const [result, setResult] = useState<DryRun>({ problems: NONE, state: undefined });
  useEffect(() => {
    if (!isWanted || missing(objects) !== undefined) {
      setResult({ problems: NONE, state: undefined });
      return;
    }
    const stop = new AbortController();
    setResult(({ problems }) => ({ problems, state: 'asking' }));
    const timer = setTimeout(async () => {
      const problems = await tryMachine(api, objects, stop.signal);
      if (!stop.signal.aborted) setResult({ problems, state: problems.length === 0 ? 'accepted' : 'refused' });
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [api, objects, isWanted]);
  return result;
}
