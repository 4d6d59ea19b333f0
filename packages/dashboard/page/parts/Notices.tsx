import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react';

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

type Notify = (text: string, options?: { readonly isError?: boolean }) => void;

const Context = createContext<Notify>(() => {});
const SHOWN_MS = 6_000;
let nextId = 1;

/** Short messages at the edge of the page: those of errors stay until they are closed. */
export function NoticesProvider({ children }: { readonly children: ReactNode }) {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const remove = useCallback((id: number): void => setNotices((all) => all.filter((notice) => notice.id !== id)), []);
  const notify = useCallback<Notify>(
    (text, { isError = false } = {}) => {
      const id = nextId++;
      // Said again, such as of a button that is clicked twice, it is not shown twice.
      setNotices((all) => [...all.filter((each) => each.text !== text).slice(-4), { id, text, isError }]);
      if (!isError) setTimeout(() => remove(id), SHOWN_MS);
    },
    [remove],
  );
  const errors = useMemo(() => notices.filter(({ isError }) => isError), [notices]);
  const others = useMemo(() => notices.filter(({ isError }) => !isError), [notices]);
  const draw = ({ id, text, isError }: Notice) => (
    <li key={id} className={isError ? 'notice notice-error' : 'notice'}>
      <span>{text}</span>
      <button type="button" className="plain" aria-label="Close message" onClick={() => remove(id)}>
        ✕
      </button>
    </li>
  );
  return (
    <Context value={notify}>
      {children}
      <div className="notices">
        <div role="alert">{errors.length > 0 && <ul>{errors.map(draw)}</ul>}</div>
        <div aria-live="polite">{others.length > 0 && <ul>{others.map(draw)}</ul>}</div>
      </div>
    </Context>
  );
}

export const useNotify = (): Notify => use(Context);
