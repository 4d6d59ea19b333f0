import type { Volumes } from './useVolumes.ts';

/** What of the lists cannot be read, so that nobody takes what is missing for what is not there. */
export function VolumeProblems({ states }: Pick<Volumes, 'states'>) {
  const { dataVolumes, claims, snapshots, machines } = states;
  const waiting = claims.kind === 'waiting' && claims.heardAtMs === undefined ? claims : undefined;
  return (
    <>
      {claims.kind === 'refused' && (
        <div className="callout callout-err" role="alert">
          <strong>Volumes cannot be read.</strong>
          <p>{claims.reason}</p>
          <p className="muted">
            Choose a namespace that you have access to, or ask an administrator for the role view.
          </p>
        </div>
      )}
      {waiting && (
        <div className="callout callout-err" role="alert">
          <strong>The server cannot be reached.</strong>
          <p>{waiting.reason}</p>
        </div>
      )}
      {dataVolumes.kind === 'refused' && claims.kind !== 'refused' && (
        <p className="callout">
          {dataVolumes.code === 404
            ? 'This server has no DataVolumes (CDI): volumes are shown as claims, and cannot be uploaded or imported.'
            : `DataVolumes cannot be read: ${dataVolumes.reason}`}
        </p>
      )}
      {machines.kind === 'refused' && (
        <p className="muted">Which machines use a volume is not known: {machines.reason}</p>
      )}
      {snapshots.kind === 'refused' && snapshots.code === 403 && claims.kind !== 'refused' && (
        <p className="muted">Snapshots are not among the users: you are not allowed to list them.</p>
      )}
    </>
  );
}

interface EmptyProps {
  readonly search: string;
  readonly namespace: string | undefined;
  readonly onClear: () => void;
}

export function EmptyVolumes({ search, namespace, onClear }: EmptyProps) {
  if (search !== '')
    return (
      <div className="empty">
        <h2>Nothing matches “{search}”</h2>
        <button type="button" onClick={onClear}>
          Clear the search
        </button>
      </div>
    );
  return (
    <div className="empty">
      <h2>No images or volumes{namespace === undefined ? '' : ` in namespace ${namespace}`}</h2>
      <p>Disks of machines, uploaded images and discs appear here. Drop a disk image on this page, or run:</p>
      <pre>
        <code>
          vireo image-upload dv debian --size=10Gi --image-path=debian.qcow2
          {namespace === undefined ? '' : ` -n ${namespace}`}
        </code>
      </pre>
    </div>
  );
}
