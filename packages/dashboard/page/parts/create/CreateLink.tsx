import { useLocation } from 'wouter';
import { forbiddenText } from '../../decisions/actions.ts';
import { useMay, useSession } from '../session.tsx';
import { useKey } from '../useKey.ts';

const CREATE = { verb: 'create', group: 'kubevirt.io', resource: 'virtualmachines' };

/** Where the form is, or why this user cannot create a machine. */
function useCreate(): { readonly go: () => void; readonly reason: string | undefined } {
  const { namespace } = useSession();
  const [, navigate] = useLocation();
  // Who may not everywhere may perhaps somewhere: only a chosen namespace is a reason.
  const isForbidden = useMay()(CREATE, namespace ?? '') === false && namespace !== undefined;
  const reason = isForbidden ? forbiddenText(CREATE, namespace) : undefined;
  return { reason, go: () => reason === undefined && navigate('/create') };
}

/** Leads to the form for a new machine, or says why not. */
export function CreateLink() {
  const { go, reason } = useCreate();
  return (
    <button type="button" className="primary" aria-disabled={reason !== undefined} title={reason} onClick={go}>
      Create
      {reason && <span className="visually-hidden">: {reason}</span>}
    </button>
  );
}

/** The same for the head of the list, where `c` leads there, too. */
export function CreateLinkWithKey() {
  useKey('c', useCreate().go);
  return <CreateLink />;
}
