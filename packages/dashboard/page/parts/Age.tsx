import { formatAge, formatTime } from '../decisions/times.ts';

/** How long ago something was; exactly when on hover, and for those who hear the page. */
export function Age({ time, now }: { readonly time: string | undefined; readonly now: number }) {
  return (
    <time dateTime={time} title={formatTime(time)}>
      {formatAge(time, now)}
    </time>
  );
}
