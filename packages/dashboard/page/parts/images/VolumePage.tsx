import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { EventObject } from '../../data/kinds.ts';
import { foldEvents } from '../../decisions/events.ts';
import { deleteOffer, offerOf, permissionTo } from '../../decisions/images/deleting.ts';
import type { User } from '../../decisions/images/users.ts';
import { VOLUME_KINDS, type Volume, type VolumeKind } from '../../decisions/images/volumes.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import { Age } from '../Age.tsx';
import { EventList } from '../EventList.tsx';
import { useEvents } from '../events/useEvents.ts';
import { OfferButton } from '../OfferButton.tsx';
import { StateBadge } from '../StateBadge.tsx';
import { useMay, useNow } from '../session.tsx';
import { DeleteVolumeDialog } from './DeleteVolumeDialog.tsx';
import { ExportDialog } from './ExportDialog.tsx';
import { NewVolumeDialog } from './NewVolumeDialog.tsx';
import { useVolumes } from './useVolumes.ts';

interface Props {
  readonly kind: VolumeKind;
  readonly namespace: string;
  readonly name: string;
}

/** A DataVolume and its claim have the same name, and both have something to tell. */
const isAboutVolume = ({ involvedObject }: EventObject, name: string): boolean =>
  involvedObject?.name === name && VOLUME_KINDS.some((kind) => kind === involvedObject.kind);

/** One volume: what it is, who needs it, what happened to it, and what can be done with it. */
export function VolumePage({ kind, namespace, name }: Props) {
  const { volumes, isLoading } = useVolumes(namespace);
  const events = useEvents(namespace, { names: [name] });
  const volume = volumes.find((each) => each.kind === kind && each.name === name);
  if (!volume)
    return isLoading ? null : (
      <div className="empty">
        <h1>
          There is no {kind} {name} in namespace {namespace}
        </h1>
        <p>It may have been deleted. If it comes back, it appears here.</p>
        <p>
          <Link href="/images">All images and volumes</Link>
        </p>
      </div>
    );
  const names = new Set(volumes.map((each) => `${each.namespace}/${each.name}`));
  return (
    <section className="machine" aria-label={`${kind} ${name}`}>
      <p className="crumbs">
        <Link href="/images">Images and volumes</Link> / {namespace}
      </p>
      <div className="page-head">
        <h1 title={name}>{volume.displayName ?? name}</h1>
        <StateBadge state={volume.state} />
        <Actions volume={volume} isTaken={(inNamespace, other) => names.has(`${inNamespace}/${other}`)} />
      </div>
      {volume.reason && <p className={volume.state.group === 'trouble' ? 'why' : 'muted'}>{volume.reason}</p>}
      {volume.percent !== undefined && (
        <progress className="volume-progress" max={100} value={volume.percent} aria-label="How far it is" />
      )}
      <div className="overview">
        <Facts volume={volume} />
        <UserCard users={volume.users} namespace={namespace} />
      </div>
      <h2 className="below-cards">Events</h2>
      <EventList events={foldEvents(events.rows.filter((event) => isAboutVolume(event, name)))} state={events.state} />
    </section>
  );
}

function Actions({
  volume,
  isTaken,
}: {
  readonly volume: Volume;
  readonly isTaken: (namespace: string, name: string) => boolean;
}) {
  const may = useMay();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<'clone' | 'export' | 'delete'>();
  const close = (): void => setOpen(undefined);
  const hasData = volume.claimName !== undefined;
  const unready = hasData && volume.state.group !== 'running' ? 'It has no data yet.' : undefined;
  const noClaim = hasData ? unready : 'It only points to a volume: open that one.';
  const offered = (group: string, resource: string) =>
    noClaim
      ? { isOffered: false, reason: noClaim }
      : offerOf({ verb: 'create', group, resource }, volume.namespace, may);
  const clones = noClaim
    ? { isOffered: false, reason: noClaim }
    : offerOf(permissionTo('create', 'DataVolume'), volume.namespace, may);
  return (
    <div className="actions" role="group" aria-label="Actions">
      <OfferButton offer={clones} onClick={() => setOpen('clone')}>
        Clone…
      </OfferButton>
      <OfferButton offer={offered('export.kubevirt.io', 'virtualmachineexports')} onClick={() => setOpen('export')}>
        Export…
      </OfferButton>
      <OfferButton offer={deleteOffer(volume, may)} className="danger" onClick={() => setOpen('delete')}>
        Delete…
      </OfferButton>
      {open === 'clone' && <NewVolumeDialog wanted={{ from: 'volume', volume }} isTaken={isTaken} onClose={close} />}
      {open === 'export' && (
        <ExportDialog
          namespace={volume.namespace}
          source={{ kind: 'PersistentVolumeClaim', name: volume.claimName ?? volume.name }}
          onClose={close}
          onCreated={() => navigate('/images/exports')}
        />
      )}
      {open === 'delete' && (
        <DeleteVolumeDialog volume={volume} onClose={close} onDeleted={() => navigate('/images')} />
      )}
    </div>
  );
}

function Facts({ volume }: { readonly volume: Volume }) {
  const now = useNow(1_000);
  const { kind, what, origin, sizeBytes, usedBytes, storageClass, claimName, name, owner, createdAt } = volume;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Kind', `${kind} (${what})`],
    ['Filled from', origin || '–'],
    ['Size', sizeBytes === undefined ? '–' : formatBytes(sizeBytes)],
    ['Used', usedBytes === undefined ? 'not known' : `${formatBytes(usedBytes)} when it was filled`],
    ['Class', storageClass ?? '–'],
    ...(claimName !== undefined && claimName !== name ? [['Claim', claimName] as const] : []),
    ...(owner ? [['Belongs to', `${owner.kind} ${owner.name}`] as const] : []),
    ['Age', <Age key="age" time={createdAt} now={now} />],
  ];
  return (
    <div className="card">
      <h2>Facts</h2>
      <dl className="facts">
        {facts.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function UserCard({ users, namespace }: { readonly users: readonly User[]; readonly namespace: string }) {
  return (
    <div className="card">
      <h2>Used by</h2>
      {users.length === 0 && <p className="muted">Nothing that is known.</p>}
      <ul className="volume-users">
        {users.map(({ kind, name, isRunning }) => (
          <li key={`${kind}/${name}`}>
            {kind} {kind === 'machine' ? <Link href={`/machines/${namespace}/${name}`}>{name}</Link> : name}
            {isRunning && <span className="muted"> (runs)</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}
