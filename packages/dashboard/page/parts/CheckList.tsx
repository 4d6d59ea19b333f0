import type { Check } from '../decisions/conditions.ts';
import { Age } from './Age.tsx';
import { useNow } from './session.tsx';

const ICONS = { good: '✓', bad: '✕', neutral: '·' } as const;

/** Conditions, each with whether that is good. */
export function CheckList({ checks }: { readonly checks: readonly Check[] }) {
  const now = useNow(1_000);
  if (checks.length === 0) return <p className="muted">None are reported.</p>;
  return (
    <ul className="checks">
      {checks.map(({ type, verdict, text, since }) => (
        <li key={type} className={`check-${verdict}`}>
          <span className="check-icon" aria-hidden="true">
            {ICONS[verdict]}
          </span>
          <span>
            <strong>{type}</strong> <span className="muted">{text}</span>
          </span>
          {since && <Age time={since} now={now} />}
        </li>
      ))}
    </ul>
  );
}
