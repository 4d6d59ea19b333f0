import type { Belongings, Losses } from '../decisions/deletion.ts';
import { Names } from './Names.tsx';

interface Props {
  readonly losses: Losses;
  readonly troubles: Belongings['troubles'];
}

/** Names what is lost and what stays when machines are deleted. */
export function DeleteConsequences({ losses, troubles }: Props) {
  const { disksThatGo, disksThatStay, disksInDoubt, snapshotsThatGo, snapshotsThatStay, fleeting } = losses;
  const isNothing = Object.values(losses).every(({ length }) => length === 0);
  return (
    <>
      <Names title="Disks that are deleted with their data:" names={disksThatGo} />
      <Names title="Disks that may be deleted with their data:" names={disksInDoubt} />
      <Names title="Snapshots that are deleted:" names={snapshotsThatGo} />
      <Names title="What the guest wrote to these disks, which have no claim, is lost:" names={fleeting} />
      <Names title="Disks that stay:" names={disksThatStay} />
      <Names title="Snapshots that stay:" names={snapshotsThatStay} />
      {troubles.length > 0 && (
        <p>Not all disks and snapshots could be read, so there may be others that are deleted. {troubles.join(' ')}</p>
      )}
      {isNothing && troubles.length === 0 && <p>No data is lost, and there are no snapshots.</p>}
    </>
  );
}
