import { useState } from 'react';
import { type Movable, migrateObstacle, migratePermission, migrateRequest } from '../../decisions/actions.ts';
import { offerOf } from '../../decisions/offers.ts';
import { useNotify } from '../Notices.tsx';
import { OfferButton } from '../OfferButton.tsx';
import { useMay, useSession } from '../session.tsx';
import { useAsked } from '../useAsked.ts';
import { MigrateDialog } from './MigrateDialog.tsx';

interface Props {
  readonly guest: Movable | undefined;
  /** Whose button it is while no guest runs. */
  readonly namespace?: string;
  /** Whether it opens when the address asks for it: there may be several buttons on a page. */
  readonly isAnswering?: boolean;
}

/** Moves a guest to another node. Says why if it cannot. */
export function MigrateButton({ guest, namespace = guest?.namespace ?? '', isAnswering = false }: Props) {
  const { api, rights } = useSession().session;
  const may = useMay();
  const notify = useNotify();
  const [isAsking, setAsking] = useState(false);
  const offer = offerOf(may, migratePermission(guest?.isVm ?? true), namespace, migrateObstacle(guest));
  useAsked('migrate', offer, () => setAsking(true), isAnswering);
  const move = async (moving: Movable, node: string | undefined): Promise<void> => {
    setAsking(false);
    const { method, path, body } = migrateRequest(moving, node);
    try {
      await api.request(method, path, body);
      notify(`${moving.name} migrates${node ? ` to ${node}` : ''}.`);
    } catch (error) {
      rights.forget();
      notify(`Migrate failed. ${error instanceof Error ? error.message : error}`, { isError: true });
    }
  };
  return (
    <>
      <OfferButton offer={offer} onClick={() => setAsking(true)}>
        Migrate
      </OfferButton>
      {isAsking && guest && (
        <MigrateDialog guest={guest} onCancel={() => setAsking(false)} onMigrate={(node) => void move(guest, node)} />
      )}
    </>
  );
}
