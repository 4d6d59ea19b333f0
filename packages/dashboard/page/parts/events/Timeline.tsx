import { useSearchParams } from 'wouter';
import { LINE_TYPES, type Line, type LineType } from '../../decisions/timeline.ts';
import type { EventTabProps } from '../../pages/Machine.tsx';
import '../../styles/events.css';
import { useNow } from '../session.tsx';
import { Moment } from './Moment.tsx';
import { useTimeline } from './useTimeline.ts';

const TITLES: Readonly<Record<LineType, string>> = {
  warning: 'Warnings',
  event: 'Events',
  condition: 'Conditions',
  phase: 'Phases',
};
const SIGNS: Readonly<Record<LineType, string>> = { warning: '▲', event: '●', condition: '◆', phase: '▸' };
const WORDS: Readonly<Record<LineType, string>> = {
  warning: 'Warning',
  event: 'Event',
  condition: 'Condition',
  phase: 'Phase',
};

/** What happened to a machine and what belongs to it, in one time line. */
export default function Timeline(props: EventTabProps) {
  const { lines, sentence, state } = useTimeline(props);
  const now = useNow(1_000);
  const [parameters, setParameters] = useSearchParams();
  const hidden = new Set((parameters.get('hide') ?? '').split(',').filter(Boolean));
  const toggle = (type: LineType): void =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before);
        const left = LINE_TYPES.filter((each) => (each === type) !== hidden.has(each));
        if (left.length > 0) next.set('hide', left.join(','));
        else next.delete('hide');
        return next;
      },
      { replace: true },
    );
  const shown = lines.filter(({ type }) => !hidden.has(type));
  return (
    <section className="timeline" aria-label="Time line">
      <p className="timeline-why">{sentence}</p>
      {state.kind === 'refused' && <p className="callout callout-err">Events cannot be read: {state.reason}</p>}
      <div className="actions" role="group" aria-label="Show">
        {LINE_TYPES.map((type) => (
          <button key={type} type="button" aria-pressed={!hidden.has(type)} onClick={() => toggle(type)}>
            <span className={`line-sign line-${type}`} aria-hidden="true">
              {SIGNS[type]}
            </span>{' '}
            {TITLES[type]} {lines.filter((line) => line.type === type).length}
          </button>
        ))}
      </div>
      {shown.length === 0 && state.kind !== 'loading' && (
        <p className="muted">
          {lines.length > 0 ? 'Nothing of what is chosen above.' : 'No events. Servers keep them for about an hour.'}
        </p>
      )}
      <ol className="lines">
        {shown.map((line) => (
          <LineOf key={line.key} line={line} now={now} />
        ))}
      </ol>
    </section>
  );
}

function LineOf({ line, now }: { readonly line: Line; readonly now: number }) {
  const { type, title, text, about, at, count } = line;
  return (
    <li className={`line line-of-${type}`}>
      <Moment time={at} now={now} />
      <span className={`line-sign line-${type}`} aria-hidden="true">
        {SIGNS[type]}
      </span>
      <span className="line-word">{WORDS[type]}</span>
      <span className="line-text">
        <strong>{title}</strong> {text} <span className="muted">{about}</span>
      </span>
      {count > 1 && (
        <span className="line-count">
          <span aria-hidden="true">×{count}</span>
          <span className="visually-hidden">{count} times</span>
        </span>
      )}
    </li>
  );
}
