import { useLocation } from 'wouter';
import type { Offer } from '../../decisions/actions.ts';
import { createOffer } from '../../decisions/create/offer.ts';
import { useNotify } from '../Notices.tsx';
import { OfferButton } from '../OfferButton.tsx';
import { useMay, useSession } from '../session.tsx';
import { useKey } from '../useKey.ts';

function useCreateOffer(): Offer {
  const { namespace } = useSession();
  return createOffer(useMay(), namespace);
}

/** Leads to the form for a new machine, or says why not. */
export function CreateLink() {
  const [, navigate] = useLocation();
  return (
    <OfferButton className="primary" offer={useCreateOffer()} onClick={() => navigate('/create')}>
      Create
    </OfferButton>
  );
}

/** The same for the head of the list, where `c` leads there, too. */
export function CreateLinkWithKey() {
  const [, navigate] = useLocation();
  const notify = useNotify();
  const { isOffered, reason } = useCreateOffer();
  useKey('c', () => {
    if (isOffered) navigate('/create');
    else if (reason) notify(reason);
  });
  return <CreateLink />;
}
