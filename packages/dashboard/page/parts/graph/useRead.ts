import { useEffect, useState } from 'react';
import { useSession } from '../session.tsx';

export type Read<T> = { readonly value: T } | { readonly error: Error } | undefined;

/** Reads something once; undefined until there is an answer. */
export function useRead<T>(path: string, accept = 'application/json'): Read<T> {
  const { api } = useSession().session;
  const [read, setRead] = useState<{ readonly path: string; readonly is: Read<T> }>();
  useEffect(() => {
    const stop = new AbortController();
    api
      .fetch(path, { headers: { accept }, signal: stop.signal })
      .then((response) => response.json())
      .then(
        (value: T) => setRead({ path, is: { value } }),
        (error: unknown) => {
          if (!stop.signal.aborted)
            setRead({ path, is: { error: error instanceof Error ? error : new Error(String(error)) } });
        },
      );
    return () => stop.abort();
  }, [api, path, accept]);
  return read?.path === path ? read.is : undefined;
}
