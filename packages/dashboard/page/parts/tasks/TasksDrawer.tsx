import { Link } from 'wouter';
import { formatAge, formatTime } from '../../decisions/times.ts';
import { useNow } from '../session.tsx';
import type { Task } from './store.ts';
import { useTasks } from './tasks.tsx';

const WORDS = { running: 'Running', done: 'Done', failed: 'Failed' } as const;
const SIGNS = { running: '◐', done: '✓', failed: '✕' } as const;

/** What this page has asked for, newest first: how far it is, why it failed, and a way to try again. */
export function TasksDrawer({ tasks, onClose }: { readonly tasks: readonly Task[]; readonly onClose: () => void }) {
  const { retry, clearEnded } = useTasks();
  const now = useNow(1_000);
  const hasEnded = tasks.some(({ state }) => state !== 'running');
  return (
    <section className="tasks-drawer" aria-label="Tasks">
      <div className="tasks-head">
        <h2>Tasks</h2>
        {hasEnded && (
          <button type="button" onClick={clearEnded}>
            Clear ended
          </button>
        )}
        <button type="button" className="plain" aria-label="Close tasks" onClick={onClose}>
          ✕
        </button>
      </div>
      {tasks.length === 0 && <p className="muted">What you start, stop, create or delete on this page shows here.</p>}
      <ul>
        {tasks.map((task) => (
          <TaskLine key={task.id} task={task} now={now} onRetry={() => retry(task.id)} />
        ))}
      </ul>
    </section>
  );
}

function TaskLine({ task, now, onRetry }: { readonly task: Task; readonly now: number; readonly onRetry: () => void }) {
  const { title, state, detail, startedAtMs, endedAtMs, href, canRetry } = task;
  const at = new Date(endedAtMs ?? startedAtMs).toISOString();
  return (
    <li className={`task task-${state}`}>
      <span className="task-sign" aria-hidden="true">
        {SIGNS[state]}
      </span>
      <span className="task-text">
        {href ? <Link href={href}>{title}</Link> : title}
        {detail && <small>{detail}</small>}
      </span>
      <span className="task-end">
        {WORDS[state]}{' '}
        <time dateTime={at} title={formatTime(at)}>
          {formatAge(at, now)}
          {endedAtMs !== undefined && ' ago'}
        </time>
      </span>
      {state === 'failed' && canRetry && (
        <button type="button" onClick={onRetry}>
          Retry<span className="visually-hidden"> {title}</span>
        </button>
      )}
    </li>
  );
}
