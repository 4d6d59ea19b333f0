import { useEffect, useState } from 'react';
import type { Vmi } from '../../data/kinds.ts';
import { NEARLY_FULL, shareOf } from '../../decisions/charts/spark.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import { useSession } from '../session.tsx';

interface FileSystem {
  readonly diskName?: string;
  readonly mountPoint?: string;
  readonly fileSystemType?: string;
  readonly usedBytes?: number;
  readonly totalBytes?: number;
}
type State =
  | { readonly kind: 'loading' }
  | { readonly kind: 'known'; readonly items: readonly FileSystem[] }
  | { readonly kind: 'problem'; readonly reason: string };

const EVERY_MS = 60_000;

/** File systems of the guest as bars, with a mark where they are nearly full. */
export function FileSystems({ vmi, hasAgent }: { readonly vmi: Vmi | undefined; readonly hasAgent: boolean }) {
  const { namespace = '', name } = vmi?.metadata ?? { name: '' };
  const state = useFileSystems(namespace, name, hasAgent);
  if (!vmi) return <p className="muted">It is not running.</p>;
  if (!hasAgent) return <p className="muted">Not known: no guest agent reports.</p>;
  if (state.kind === 'loading') return <p className="muted">Asking the guest agent…</p>;
  if (state.kind === 'problem') return <p className="muted">{state.reason}</p>;
  if (state.items.length === 0) return <p className="muted">The guest agent reports none.</p>;
  return (
    <ul className="file-systems">
      {state.items.map((each) => (
        <FileSystemBar key={`${each.diskName} ${each.mountPoint}`} of={each} />
      ))}
    </ul>
  );
}

/** Asked for while they are shown: the API has no watch for them. */
function useFileSystems(namespace: string, name: string, isAsked: boolean): State {
  const { api } = useSession().session;
  const [state, setState] = useState<State>({ kind: 'loading' });
  useEffect(() => {
    if (!isAsked || name === '') return;
    const stop = new AbortController();
    const of = `namespaces/${encodeURIComponent(namespace)}/virtualmachineinstances/${encodeURIComponent(name)}`;
    const path = `/apis/subresources.kubevirt.io/v1/${of}/filesystemlist`;
    const ask = async (): Promise<void> => {
      if (document.visibilityState !== 'visible') return;
      try {
        const list = await api.request<{ items?: readonly FileSystem[] }>('GET', path, undefined, stop.signal);
        setState({ kind: 'known', items: list.items ?? [] });
      } catch (error) {
        if (!stop.signal.aborted)
          setState({ kind: 'problem', reason: error instanceof Error ? error.message : String(error) });
      }
    };
    void ask();
    const timer = setInterval(() => void ask(), EVERY_MS);
    return () => {
      stop.abort();
      clearInterval(timer);
    };
  }, [api, namespace, name, isAsked]);
  return state;
}

function FileSystemBar({
  of: { mountPoint, fileSystemType, diskName, usedBytes = 0, totalBytes = 0 },
}: {
  of: FileSystem;
}) {
  const percent = shareOf(usedBytes, totalBytes) ?? 0;
  const isFull = percent >= NEARLY_FULL;
  return (
    <li>
      <span className="file-system-name">
        <strong>{mountPoint ?? '?'}</strong>{' '}
        <span className="muted">{[fileSystemType, diskName].filter(Boolean).join(', ')}</span>
      </span>
      <span>
        {isFull && <strong className="nearly-full">▲ nearly full </strong>}
        {formatBytes(usedBytes)} of {formatBytes(totalBytes)}, {Math.round(percent)} %
      </span>
      <span className="file-system-bar" aria-hidden="true">
        <span className={isFull ? 'use-high' : undefined} style={{ width: `${percent}%` }} />
      </span>
    </li>
  );
}
