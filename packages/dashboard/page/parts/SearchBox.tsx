import { useRef } from 'react';
import { useKey } from './useKey.ts';

/** The search of the list; `/` leads here from anywhere. */
export function SearchBox({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useKey('/', () => input.current?.focus());
  return (
    <input
      ref={input}
      type="search"
      className="search"
      value={value}
      aria-label="Search machines"
      placeholder="Search: web state:error label:app=web -node:n1"
      spellCheck={false}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}
