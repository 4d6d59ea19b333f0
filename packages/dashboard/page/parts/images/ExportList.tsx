import { useState } from 'react';
import { whole } from '../../data/kinds.ts';
import type { FollowState } from '../../decisions/connection.ts';
import { offerOf } from '../../decisions/images/deleting.ts';
import { exportPath, type VmExport } from '../../decisions/images/exports.ts';
import { OfferButton } from '../OfferButton.tsx';
import { useCollection, useMay, useSession } from '../session.tsx';
import { ExportCard } from './ExportCard.tsx';
import { ExportDialog } from './ExportDialog.tsx';

/** What is offered for download, and for how long. */
export function ExportList() {
  const { namespace } = useSession();
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const { rows, state } = useCollection<VmExport, VmExport>(exportPath(namespace), whole);
  const permission = { verb: 'create', group: 'export.kubevirt.io', resource: 'virtualmachineexports' };
  const creates = offerOf(permission, namespace ?? '', may);
  const offer =
    creates.isOffered || namespace !== undefined
      ? creates
      : { isOffered: false, reason: 'You are not allowed to do that in all namespaces: choose one at the top.' };
  const sorted = [...rows].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return (
    <>
      <div className="toolbar">
        <OfferButton offer={offer} className="primary" onClick={() => setOpen(true)}>
          New export…
        </OfferButton>
        <span className="muted">To export one volume, open it and choose Export.</span>
      </div>
      <Problem state={state} />
      {sorted.length > 0 ? (
        <ul className="exports">
          {sorted.map((each) => (
            <ExportCard key={`${each.metadata.namespace}/${each.metadata.name}`} exported={each} />
          ))}
        </ul>
      ) : (
        state.kind === 'live' && (
          <div className="empty">
            <h2>No exports{namespace === undefined ? '' : ` in namespace ${namespace}`}</h2>
            <p>An export offers the disks of a machine, a snapshot or a claim for download, for a limited time.</p>
          </div>
        )
      )}
      {isOpen && <ExportDialog namespace={namespace ?? 'default'} onClose={() => setOpen(false)} />}
    </>
  );
}

function Problem({ state }: { readonly state: FollowState }) {
  if (state.kind !== 'refused') return null;
  return (
    <p className={state.code === 404 ? 'callout' : 'callout callout-err'}>
      {state.code === 404 ? 'This server has no VirtualMachineExports.' : `Exports cannot be read: ${state.reason}`}
    </p>
  );
}
