import { Link } from 'wouter';
import { type SetKind, type SetRow, setHref, setState } from '../../decisions/sets/set.ts';
import { Age } from '../Age.tsx';
import { Badge } from '../Badge.tsx';
import { Meter } from '../Meter.tsx';

interface Props {
  readonly kind: SetKind;
  readonly set: SetRow;
  readonly now: number;
  readonly withNamespace: boolean;
}

/** A set in the list. */
export function SetLine({ kind, set, now, withNamespace }: Props) {
  const { tone, text } = setState(set);
  const about = [withNamespace && set.namespace, kind.id === 'pool' && 'pool'].filter(Boolean).join(' · ');
  const failure = set.failures[0];
  return (
    <tr>
      <th scope="row">
        <Link href={setHref(kind, set.namespace, set.name)}>{set.name}</Link>
        {about && <small className="muted list-about">{about}</small>}
      </th>
      <td>
        <Badge tone={tone}>{text}</Badge>
        {failure && <small className="why set-why">{failure.message || failure.reason}</small>}
      </td>
      <td>
        <ReadyMeter set={set} />
      </td>
      <td className="wide muted">{set.selector}</td>
      <td className="number">
        <Age time={set.createdAt} now={now} />
      </td>
    </tr>
  );
}

/** Ready of desired, as a bar. */
function ReadyMeter({ set }: { readonly set: SetRow }) {
  return <Meter label="Ready" text={`${set.ready} of ${set.desired}`} {...readyFigures(set)} />;
}

/** How full the bar of a set is, and in which colour. */
export const readyFigures = ({ ready, desired, failures }: SetRow) =>
  ({ value: ready, max: desired, tone: failures.length > 0 ? 'err' : ready >= desired ? 'ok' : 'busy' }) as const;
