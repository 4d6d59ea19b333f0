import { formatAge, formatTime } from '../../decisions/times.ts';

/** How long ago something was; exactly when, with the zone, on hover, on focus, and for those who hear the page. */
export function Moment({ time, now }: { readonly time: string | undefined; readonly now: number }) {
  const exact = formatTime(time);
  return (
    <time className="moment" dateTime={time} tabIndex={0} data-exact={exact}>
      {formatAge(time, now)}
      <span className="visually-hidden"> ago, {exact}</span>
    </time>
  );
}
