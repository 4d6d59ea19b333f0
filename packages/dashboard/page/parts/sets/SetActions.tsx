import { useState } from 'react';
import { useLocation } from 'wouter';
import { deleteExactly } from '../../data/deleteExactly.ts';
import { offerOf } from '../../decisions/offers.ts';
import { type SetKind, type SetRow, setPath } from '../../decisions/sets/set.ts';
import { useNotify } from '../Notices.tsx';
import { OfferButton } from '../OfferButton.tsx';
import { useMay, useSession } from '../session.tsx';
import { DeleteSetDialog } from './DeleteSetDialog.tsx';

/** Pause, resume and delete. */
export function SetActions({ kind, set }: { readonly kind: SetKind; readonly set: SetRow }) {
  const { api } = useSession().session;
  const may = useMay();
  const notify = useNotify();
  const [, navigate] = useLocation();
  const [isAsking, setAsking] = useState(false);
  const path = setPath(kind, set.namespace, set.name);
  const { group, resource } = kind;
  const going = set.isDeleting ? 'It is being deleted.' : undefined;
  const canPause = offerOf(may, { verb: 'patch', group, resource }, set.namespace, going);
  const canDelete = offerOf(may, { verb: 'delete', group, resource }, set.namespace, going);

  const attempt = async (what: string, work: Promise<unknown>, done: string): Promise<boolean> => {
    try {
      await work;
      notify(done);
      return true;
    } catch (error) {
      notify(`${what} failed. ${error instanceof Error ? error.message : error}`, { isError: true });
      return false;
    }
  };
  const pause = (): void => {
    const value = !set.isPaused;
    const operations = [
      { op: 'test', path: '/metadata/uid', value: set.uid },
      { op: 'add', path: '/spec/paused', value },
    ] as const;
    const verb = value ? 'Pause' : 'Resume';
    void attempt(verb, api.patch(path, operations), `${set.name} is ${value ? 'paused' : 'resumed'}.`);
  };
  const remove = async (propagationPolicy: 'Background' | 'Orphan'): Promise<void> => {
    setAsking(false);
    const deletion = deleteExactly(api, path, set.uid, { propagationPolicy });
    if (await attempt('Delete', deletion, `${set.name} is deleted.`)) navigate('/sets');
  };
  return (
    <div className="actions" role="group" aria-label="Actions">
      <OfferButton offer={canPause} onClick={pause}>
        {set.isPaused ? 'Resume' : 'Pause'}
      </OfferButton>
      <OfferButton offer={canDelete} onClick={() => setAsking(true)} className="danger">
        Delete
      </OfferButton>
      {isAsking && (
        <DeleteSetDialog
          kind={kind}
          set={set}
          onCancel={() => setAsking(false)}
          onDelete={(policy) => void remove(policy)}
        />
      )}
    </div>
  );
}
