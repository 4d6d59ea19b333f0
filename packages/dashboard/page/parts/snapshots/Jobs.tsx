import { Link } from 'wouter';
import type { JobLine } from '../../decisions/snapshots/lines.ts';
import { Age } from '../Age.tsx';
import { Badge } from '../Badge.tsx';
import { useNow } from '../session.tsx';

/** Restores and clones: how far they are, and why they failed. */
export function Jobs({ jobs, namespace }: { readonly jobs: readonly JobLine[]; readonly namespace: string }) {
  const now = useNow(1_000);
  if (jobs.length === 0) return null;
  return (
    <section className="card" aria-label="Restores and clones">
      <h2>Restores and clones</h2>
      <ul className="network-list" aria-live="polite">
        {jobs.map(({ kind, name, text, state, startedAt, target }) => (
          <li key={`${kind} ${name}`}>
            <span className="network-name">
              <Badge tone={state.tone}>{state.label}</Badge>
              <span>
                {kind === 'restore' ? 'Restore' : 'Clone'} {text}
                {target && (
                  <>
                    {' to '}
                    <Link href={`/machines/${namespace}/${target}`} className="underlined">
                      {target}
                    </Link>
                  </>
                )}
              </span>
              <span className="muted">
                begun <Age time={startedAt} now={now} /> ago
              </span>
            </span>
            {state.reason && <small className={state.tone === 'err' ? 'note-error' : 'muted'}>{state.reason}</small>}
          </li>
        ))}
      </ul>
    </section>
  );
}
