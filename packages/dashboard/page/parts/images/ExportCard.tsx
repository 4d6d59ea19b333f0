import { useEffect, useState } from 'react';
import { deleteExactly } from '../../data/deleteExactly.ts';
import type { KubeObject } from '../../data/kinds.ts';
import { forbiddenText } from '../../decisions/actions.ts';
import { offerOf } from '../../decisions/images/deleting.ts';
import {
  downloadAddress,
  downloadCommand,
  type ExportFile,
  exportPath,
  exportReason,
  exportState,
  filesOf,
  type VmExport,
} from '../../decisions/images/exports.ts';
import { formatTime } from '../../decisions/times.ts';
import { Dialog } from '../Dialog.tsx';
import { useNotify } from '../Notices.tsx';
import { OfferButton } from '../OfferButton.tsx';
import { StateBadge } from '../StateBadge.tsx';
import { useMay, useSession } from '../session.tsx';
import { CopyLine } from './CopyLine.tsx';

/** One export: what it offers, until when, and how it is downloaded. */
export function ExportCard({ exported }: { readonly exported: VmExport }) {
  const { session } = useSession();
  const may = useMay();
  const notify = useNotify();
  /** The one whose deletion is asked about, also if another one gets its name meanwhile. */
  const [asked, setAsked] = useState<{ readonly uid: string | undefined }>();
  const { metadata, spec, status } = exported;
  const { name, namespace = '' } = metadata;
  const reason = exportReason(exported);
  const remove = (uid: string | undefined): void => {
    setAsked(undefined);
    deleteExactly(session.api, exportPath(namespace, name), uid).then(
      () => notify(`Export ${name} is deleted.`),
      (error: unknown) =>
        notify(`Export ${name} could not be deleted. ${error instanceof Error ? error.message : error}`, {
          isError: true,
        }),
    );
  };
  const permission = { verb: 'delete', group: 'export.kubevirt.io', resource: 'virtualmachineexports' };
  return (
    <li className="card">
      <div className="export-head">
        <h2>{name}</h2>
        <StateBadge state={exportState(exported)} />
        <span className="muted">
          {spec?.source?.kind} {spec?.source?.name} in {namespace}
        </span>
        <OfferButton
          offer={offerOf(permission, namespace, may)}
          className="danger"
          onClick={() => setAsked({ uid: metadata.uid })}
        >
          Delete…
        </OfferButton>
      </div>
      {reason && <p className="muted">{reason}</p>}
      {status?.ttlExpirationTime && <p className="muted">Ends {formatTime(status.ttlExpirationTime)}.</p>}
      {status?.phase === 'Ready' && <Files exported={exported} />}
      {asked && (
        <Dialog title={`Delete export ${name}?`} onClose={() => setAsked(undefined)}>
          <p>Downloads that are under way are cut. The disks themselves stay.</p>
          <div className="dialog-buttons">
            <button type="button" data-autofocus onClick={() => setAsked(undefined)}>
              Cancel
            </button>
            <button type="button" className="danger primary" onClick={() => remove(asked.uid)}>
              Delete export {name}
            </button>
          </div>
        </Dialog>
      )}
    </li>
  );
}

const WORDS: Readonly<Record<string, string>> = { gzip: 'compressed (gzip)', raw: 'raw', 'tar.gz': 'archive (tar.gz)' };

function Files({ exported }: { readonly exported: VmExport }) {
  const { session } = useSession();
  const token = useToken(exported);
  const namespace = exported.metadata.namespace ?? '';
  if (token.isForbidden)
    return (
      <p className="muted">
        {forbiddenText({ verb: 'get', group: '', resource: 'secrets' }, namespace)} The token is in one.
      </p>
    );
  const place = { mode: session.mode, server: session.server, origin: location.origin };
  return (
    <ul className="export-files">
      {filesOf(exported).map((file) => {
        const address = downloadAddress(file, place, token.value);
        return (
          <li key={`${file.volume}/${file.format}`}>
            <span>
              {file.volume}, {WORDS[file.format] ?? file.format}
            </span>
            {address ? (
              <a className="button" href={address} download={fileName(file)}>
                Download<span className="visually-hidden">{` ${file.volume}, ${file.format}`}</span>
              </a>
            ) : (
              <CopyLine text={downloadCommand(exported, file)} />
            )}
          </li>
        );
      })}
    </ul>
  );
}

const fileName = ({ volume, url }: ExportFile): string =>
  (URL.parse(url)?.pathname.replace(/^.*\//, '') ?? volume).replace(/^disk/, volume);

/** The token of an export, where the link needs it; `vireo dashboard` reads it by itself, with the same permissions. */
function useToken({ metadata, status }: VmExport): { readonly value?: string; readonly isForbidden: boolean } {
  const { session } = useSession();
  const may = useMay();
  const [value, setValue] = useState<string>();
  const namespace = metadata.namespace ?? '';
  const secret = status?.tokenSecretRef;
  const isForbidden = may({ verb: 'get', group: '', resource: 'secrets' }, namespace) === false;
  const isNeeded = session.mode !== 'local' && !isForbidden && secret !== undefined;
  useEffect(() => {
    if (!isNeeded) return;
    const stop = new AbortController();
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(secret)}`;
    session.api
      .request<KubeObject & { data?: { token?: string } }>('GET', path, undefined, stop.signal)
      .then(({ data }) => setValue(atob(data?.token ?? '')))
      // Without it, the command is shown.
      .catch(() => {});
    return () => stop.abort();
  }, [session, isNeeded, namespace, secret]);
  return { ...(value && { value }), isForbidden };
}
