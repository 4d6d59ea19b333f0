import type { ReactNode } from 'react';
import { type Move, moveText } from '../decisions/migration.ts';
import { type State, type StateGroup, TOKENS } from '../decisions/states.ts';

const ICONS: Readonly<Record<StateGroup, ReactNode>> = {
  running: <circle cx="8" cy="8" r="5" fill="currentColor" />,
  starting: <HalfCircle />,
  stopping: <HalfCircle isDown />,
  off: <circle cx="8" cy="8" r="4.5" fill="none" stroke="currentColor" strokeWidth="2" />,
  paused: <path d="M5 3v10M11 3v10" stroke="currentColor" strokeWidth="3" />,
  trouble: (
    <>
      <path d="M8 1.5 15 14H1z" fill="currentColor" />
      <path d="M8 6v4M8 11.2v1.6" className="icon-hole" />
    </>
  ),
  unclear: (
    <>
      <circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" strokeWidth="1.6" />
      <path d="M6 6.4c0-2.6 4-2.6 4 0 0 1.6-2 1.6-2 3M8 11v1.4" fill="none" stroke="currentColor" strokeWidth="1.5" />
    </>
  ),
};

function HalfCircle({ isDown = false }: { readonly isDown?: boolean }) {
  return (
    <g className="turning">
      <circle cx="8" cy="8" r="5" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d={isDown ? 'M3 8a5 5 0 0 0 10 0z' : 'M3 8a5 5 0 0 1 10 0z'} fill="currentColor" />
    </g>
  );
}

interface Props {
  readonly state: State;
  /** What was asked for just now. */
  readonly asked?: string | undefined;
  readonly move?: Move | undefined;
}

/** A state: icon, word and colour together; the API's own word is the tooltip, or where a guest migrates to. */
export function StateBadge({ state, asked, move }: Props) {
  const group = asked ? 'starting' : state.group;
  const moving = state.word === 'Migrating' ? move : undefined;
  return (
    <span className={`badge badge-${TOKENS[group]}`} title={moving ? moveText(moving) : state.word}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        {ICONS[group]}
      </svg>
      {asked ? `${asked}… (asked)` : state.label}
      {!asked && moving?.percent !== undefined && ` · ${moving.percent} %`}
    </span>
  );
}
