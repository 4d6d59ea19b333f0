import { type KeyboardEvent, useEffect, useState } from 'react';
import { findInRows, type Match, nextMatch, type Row } from '../../decisions/consoles/find.ts';

interface Props {
  readonly rows: () => readonly Row[];
  readonly onShow: (match: Match | undefined) => void;
  readonly onClose: () => void;
}

/** Finds words in what a terminal still has. Enter goes on, with Shift back. */
export function FindBar({ rows, onShow, onClose }: Props) {
  const [query, setQuery] = useState('');
  const [found, setFound] = useState({ count: 0, current: -1 });
  useEffect(() => () => onShow(undefined), [onShow]);

  const go = (text: string, from: number, step: number): void => {
    // Anew each time: meanwhile the guest has written more.
    const matches = findInRows(rows(), text);
    const current = nextMatch(Math.min(from, matches.length - 1), matches.length, step);
    setFound({ count: matches.length, current });
    onShow(matches[current]);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') onClose();
    if (event.key !== 'Enter') return;
    event.preventDefault();
    go(query, found.current, event.shiftKey ? -1 : 1);
  };
  return (
    <search className="find-bar">
      <input
        ref={(input) => input?.focus()}
        type="search"
        aria-label="Find in the console"
        placeholder="Find"
        spellCheck={false}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          // From the end: what was written last is what one looks for.
          go(event.target.value, -1, -1);
        }}
        onKeyDown={onKeyDown}
      />
      <span className="muted" role="status">
        {query === '' ? '' : found.count === 0 ? 'Not found' : `${found.current + 1} of ${found.count}`}
      </span>
      <button type="button" onClick={() => go(query, found.current, -1)}>
        Previous
      </button>
      <button type="button" onClick={() => go(query, found.current, 1)}>
        Next
      </button>
      <button type="button" className="plain" aria-label="Close find" onClick={onClose}>
        ✕
      </button>
    </search>
  );
}
