import { useState } from 'react';
import { whole } from '../../data/kinds.ts';
import type { Migration } from '../../data/nodeKinds.ts';
import { type Move, migrationWords, moveText, newestOf } from '../../decisions/migration.ts';
import { offerOf } from '../../decisions/offers.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import { Badge } from '../Badge.tsx';
import { ConfirmDialog } from '../ConfirmDialog.tsx';
import { useNotify } from '../Notices.tsx';
import { OfferButton } from '../OfferButton.tsx';
import { useCollection, useMay, useSession } from '../session.tsx';
import '../../styles/nodes.css';

const MIGRATIONS = { group: 'kubevirt.io', resource: 'virtualmachineinstancemigrations' };

interface Props {
  readonly namespace: string;
  readonly name: string;
  readonly node: string | undefined;
  readonly move: Move | undefined;
}

/** A migration of the guest that is under way, or the last one if it failed. */
export function MigrationProgress({ namespace, name, node, move }: Props) {
  const { api } = useSession().session;
  const may = useMay();
  const notify = useNotify();
  const [isAsking, setAsking] = useState(false);
  const path = `/apis/kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/${MIGRATIONS.resource}`;
  const { rows } = useCollection<Migration, Migration>(path, whole);
  const newest = newestOf(name, rows);
  if (!newest) return null;
  const { phase, text, isUnderWay, hasFailed, from, to, name: id } = migrationWords(newest, node);
  if (!isUnderWay && !hasFailed) return null;
  const { percent, remainingBytes } = (isUnderWay && move) || {};
  const cancel = async (): Promise<void> => {
    setAsking(false);
    try {
      await api.request('DELETE', `${path}/${encodeURIComponent(id)}`);
      notify(`The migration of ${name} is being cancelled.`);
    } catch (error) {
      notify(`Cancel failed. ${error instanceof Error ? error.message : error}`, { isError: true });
    }
  };
  return (
    <div className={`callout migration${hasFailed ? ' callout-err' : ''}`}>
      <Badge tone={hasFailed ? 'err' : 'busy'} title={phase}>
        {hasFailed ? 'Migration' : moveText({ to, percent })}
      </Badge>
      {percent !== undefined && (
        <progress max={100} value={percent} aria-label={`Migration of ${name}${to ? ` to ${to}` : ''}`} />
      )}
      <span role="status">
        {isUnderWay ? `From ${from ?? 'its node'}` : `${from ?? '?'} → ${to ?? 'another node'}`}: {text}
      </span>
      {remainingBytes !== undefined && <span className="muted">{formatBytes(remainingBytes)} left</span>}
      {isUnderWay && (
        <OfferButton offer={offerOf(may, { verb: 'delete', ...MIGRATIONS }, namespace)} onClick={() => setAsking(true)}>
          Cancel migration
        </OfferButton>
      )}
      {isAsking && (
        <ConfirmDialog
          title={`Cancel the migration of ${name}?`}
          button="Cancel migration"
          onCancel={() => setAsking(false)}
          onConfirm={() => void cancel()}
        >
          <p>The guest stays on {from ?? 'its node'}, unless it has arrived by then.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
