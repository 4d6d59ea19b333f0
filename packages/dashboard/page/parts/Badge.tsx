import type { ReactNode } from 'react';

const MARKS: Readonly<Record<string, ReactNode>> = {
  ok: <circle cx="8" cy="8" r="5" fill="currentColor" />,
  off: <circle cx="8" cy="8" r="4.5" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  busy: (
    <g className="turning">
      <circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M3 8a5 5 0 0 1 10 0z" fill="currentColor" />
    </g>
  ),
  paused: <path d="M4 3h3v10H4zM9 3h3v10H9z" fill="currentColor" />,
  err: <path d="M8 2l6.5 12h-13z" fill="currentColor" />,
  warn: <path d="M8 2l6.5 12h-13z" fill="none" stroke="currentColor" strokeWidth="1.5" />,
};

/** A state of something that is no machine: icon, word and colour together. */
export function Badge({ tone, title, children }: { tone: string; title?: string; children: ReactNode }) {
  return (
    <span className={`badge badge-${tone}`} title={title}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {MARKS[tone]}
      </svg>
      {children}
    </span>
  );
}
