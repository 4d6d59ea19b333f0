import { useState } from 'react';
import type { Upload } from '../../data/images/uploads.ts';
import { durationText, paceOf, percentSent } from '../../decisions/images/transfer.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import { Dialog } from '../Dialog.tsx';
import { useNotify } from '../Notices.tsx';
import { useNow } from '../session.tsx';
import { useUploads } from './UploadsProvider.tsx';

/** The uploads of this tab, each with what can be done to it. */
export function UploadList() {
  const { uploads, views: all } = useUploads();
  const [asked, setAsked] = useState<Upload>();
  const notify = useNotify();
  if (all.length === 0) return null;
  const cancel = (upload: Upload): void => {
    setAsked(undefined);
    uploads.cancel(upload.id).then(
      () => notify(`The upload of ${upload.fileName} was cancelled, and volume ${upload.draft.name} deleted.`),
      (error: unknown) =>
        notify(`Volume ${upload.draft.name} stays. ${error instanceof Error ? error.message : error}`, {
          isError: true,
        }),
    );
  };
  return (
    <section className="card uploads" aria-labelledby="uploads-title">
      <h2 id="uploads-title">Uploads</h2>
      <ul>
        {all.map((upload) => (
          <UploadRow key={upload.id} upload={upload} onCancel={() => setAsked(upload)} />
        ))}
      </ul>
      {asked && (
        <Dialog title={`Cancel the upload of ${asked.fileName}?`} onClose={() => setAsked(undefined)}>
          <p>What has been sent is lost, and volume {asked.draft.name} is deleted. The file on this computer stays.</p>
          <div className="dialog-buttons">
            <button type="button" data-autofocus onClick={() => setAsked(undefined)}>
              Go on uploading
            </button>
            <button type="button" className="danger primary" onClick={() => cancel(asked)}>
              Cancel upload and delete volume
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

function UploadRow({ upload, onCancel }: { readonly upload: Upload; readonly onCancel: () => void }) {
  const { fileName, draft, phase, sentBytes, totalBytes } = upload;
  const percent = percentSent(sentBytes, totalBytes);
  return (
    <li className={phase === 'failed' ? 'upload upload-failed' : 'upload'}>
      <div className="upload-head">
        <strong>{draft.name}</strong>{' '}
        <span className="muted">
          in {draft.namespace}, from {fileName}
        </span>
      </div>
      {phase !== 'failed' && phase !== 'done' && (
        <progress max={100} value={percent} aria-label={`Upload of ${fileName}`} className={`progress-${phase}`} />
      )}
      <div className="upload-foot">
        <Words upload={upload} />
        <Buttons upload={upload} onCancel={onCancel} />
      </div>
    </li>
  );
}

function Words({ upload }: { readonly upload: Upload }) {
  const { phase, reason, sentBytes, totalBytes, samples, pausedAtMs } = upload;
  const now = useNow(1_000);
  const sent = `${percentSent(sentBytes, totalBytes)} % · ${formatBytes(sentBytes)} of ${formatBytes(totalBytes)}`;
  switch (phase) {
    case 'queued':
      return <span className="muted">Waits: two are uploaded at a time.</span>;
    case 'preparing':
      return <span className="muted">Preparing the volume… {reason}</span>;
    case 'sending': {
      const { bytesPerSecond, secondsLeft } = paceOf(samples, totalBytes);
      const pace = bytesPerSecond === undefined ? '' : ` · ${formatBytes(bytesPerSecond)}/s`;
      const left = secondsLeft === undefined ? '' : ` · ${durationText(secondsLeft)} left`;
      return <span>{sent + pace + left}</span>;
    }
    case 'paused':
      return (
        <span title="The connection stays open, and Vireo sets no limit to that. If this page is closed, the computer sleeps, or a proxy on the way cuts idle connections, the upload begins again.">
          Paused for {durationText((now - (pausedAtMs ?? now)) / 1000)} · {sent}. Keep this page open.
        </span>
      );
    case 'processing':
      return <span>All data is there; the server makes a disk of it…</span>;
    case 'cancelling':
      return <span className="muted">Cancelling, and deleting the volume…</span>;
    case 'done':
      return <span className="tone-ok">✓ Uploaded, {formatBytes(totalBytes)}</span>;
    case 'failed':
      return (
        <span role="alert">
          <strong>Failed.</strong> {reason}
        </span>
      );
  }
}

function Buttons({ upload, onCancel }: { readonly upload: Upload; readonly onCancel: () => void }) {
  const { uploads } = useUploads();
  const { id, phase, pauseProblem, fileName } = upload;
  const about = <span className="visually-hidden"> upload of {fileName}</span>;
  return (
    <div className="actions">
      {phase === 'sending' && (
        <button
          type="button"
          aria-disabled={pauseProblem !== undefined}
          title={pauseProblem}
          onClick={() => uploads.pause(id)}
        >
          Pause{about}
          {pauseProblem && <span className="visually-hidden">: {pauseProblem}</span>}
        </button>
      )}
      {phase === 'paused' && (
        <button type="button" className="primary" onClick={() => uploads.resume(id)}>
          Resume{about}
        </button>
      )}
      {phase === 'failed' && (
        <button type="button" className="primary" onClick={() => uploads.retry(id)}>
          Retry{about}
        </button>
      )}
      {['queued', 'preparing', 'sending', 'paused', 'failed'].includes(phase) && (
        <button type="button" onClick={onCancel}>
          Cancel{about}
        </button>
      )}
      {phase === 'done' && (
        <button type="button" className="plain" onClick={() => uploads.dismiss(id)}>
          Dismiss{about}
        </button>
      )}
    </div>
  );
}
