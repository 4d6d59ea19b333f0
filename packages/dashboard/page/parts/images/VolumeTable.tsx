import { memo, useRef } from 'react';
import { Link } from 'wouter';
import type { May, Offer } from '../../decisions/actions.ts';
import { deleteOffer } from '../../decisions/images/deleting.ts';
import type { VolumeColumn, VolumeOrder } from '../../decisions/images/finding.ts';
import { usersText } from '../../decisions/images/users.ts';
import { causeOf, type Volume } from '../../decisions/images/volumes.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import { isEqual } from '../../decisions/yaml/values.ts';
import { LiveAge } from '../Age.tsx';
import { StateBadge } from '../StateBadge.tsx';
import { useNarrow } from '../useNarrow.ts';
import { useVirtualRows } from '../useVirtualRows.ts';

interface Props {
  readonly volumes: readonly Volume[];
  readonly isLoading: boolean;
  readonly isStale: boolean;
  readonly withNamespace: boolean;
  readonly order: VolumeOrder;
  readonly onOrder: (order: VolumeOrder) => void;
  readonly may: May;
  readonly onDelete: (volume: Volume) => void;
}

const HEADS: readonly (readonly [VolumeColumn, string])[] = [
  ['name', 'Name'],
  ['what', 'What'],
  ['state', 'State'],
  ['size', 'Size'],
  ['class', 'Class'],
  ['users', 'Used by'],
  ['age', 'Age'],
];
const ROW_HEIGHT = 48;
const CARD_HEIGHT = 136;

export const volumeAddress = ({ kind, namespace, name }: Pick<Volume, 'kind' | 'namespace' | 'name'>): string =>
  `/images/volumes/${kind}/${namespace}/${name}`;

/** Images and volumes; only rows in sight exist. */
export function VolumeTable(props: Props) {
  const { volumes, isLoading, isStale, withNamespace, order, onOrder, may, onDelete } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useNarrow() ? CARD_HEIGHT : ROW_HEIGHT;
  const { first, last } = useVirtualRows(scroller, rowHeight, volumes.length);
  return (
    <div
      className={isStale ? 'table-scroll stale' : 'table-scroll'}
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label="List of images and volumes"
    >
      <div
        className="table volume-table"
        role="table"
        aria-rowcount={volumes.length + 1}
        aria-busy={isLoading}
        aria-label="Images and volumes"
      >
        <div role="rowgroup" className="table-head">
          <div className="row volume-row head" role="row" aria-rowindex={1}>
            {HEADS.map(([column, title]) => (
              <Head key={column} column={column} title={title} order={order} onOrder={onOrder} />
            ))}
            <span role="columnheader" className="cell">
              <span className="visually-hidden">Actions</span>
            </span>
          </div>
        </div>
        {isLoading && volumes.length === 0 ? (
          <div className="skeleton" aria-hidden="true">
            {[0, 1, 2, 3, 4].map((row) => (
              <div key={row} className="row skeleton-row" />
            ))}
          </div>
        ) : (
          <div role="rowgroup" className="table-body" style={{ height: volumes.length * rowHeight }}>
            {volumes.slice(first, last).map((volume, index) => (
              <VolumeRow
                key={volume.key}
                volume={volume}
                index={first + index}
                height={rowHeight}
                withNamespace={withNamespace}
                offer={deleteOffer(volume, may)}
                onDelete={onDelete}
              />
            ))}
          </div>
        )}
      </div>
    </div>
  );
}

interface RowProps {
  readonly volume: Volume;
  readonly index: number;
  readonly height: number;
  readonly withNamespace: boolean;
  /** Whether it can be deleted. */
  readonly offer: Offer;
  /** The same function from one drawing to the next. */
  readonly onDelete: (volume: Volume) => void;
}

/** One volume; drawn again only if something of it has changed, though every change of a list makes all volumes anew. */
const VolumeRow = memo(function VolumeRow({ index, height, ...props }: RowProps) {
  return (
    <div role="row" className="row volume-row" aria-rowindex={index + 2} style={{ top: index * height, height }}>
      <Cells {...props} />
    </div>
  );
}, isEqual);

function Cells({ volume, withNamespace, offer, onDelete }: Omit<RowProps, 'index' | 'height'>) {
  const { name, displayName, what, kind, namespace, state, percent, reason, sizeBytes, usedBytes, users } = volume;
  const { isOffered, reason: whyNot } = offer;
  const used = usersText(users);
  return (
    <>
      <span role="cell" className="cell cell-name">
        <Link href={volumeAddress(volume)} title={name}>
          {displayName ?? name}
        </Link>
        <small className="muted">{withNamespace ? `${namespace} · ${kind}` : kind}</small>
      </span>
      <span role="cell" className="cell cell-what">
        {what}
      </span>
      <span role="cell" className="cell cell-state">
        <StateBadge state={state} />
        {percent !== undefined && <span className="percent"> {Math.floor(percent)} %</span>}
        {reason && (
          <small className="muted" title={reason}>
            {causeOf(reason)}
          </small>
        )}
      </span>
      <span role="cell" className="cell cell-size">
        {sizeBytes === undefined ? '–' : formatBytes(sizeBytes)}
        {usedBytes !== undefined && <small className="muted">{formatBytes(usedBytes)} used</small>}
      </span>
      <span role="cell" className="cell cell-class">
        {volume.storageClass ?? '–'}
      </span>
      <span role="cell" className="cell cell-users" title={used}>
        {used || '–'}
      </span>
      <span role="cell" className="cell cell-age">
        <LiveAge time={volume.createdAt} />
      </span>
      <span role="cell" className="cell cell-actions">
        <button
          type="button"
          className="plain danger"
          aria-disabled={!isOffered}
          title={whyNot}
          aria-label={`Delete ${name}${whyNot ? `: ${whyNot}` : ''}`}
          onClick={() => isOffered && onDelete(volume)}
        >
          Delete
        </button>
      </span>
    </>
  );
}

function Head({
  column,
  title,
  order,
  onOrder,
}: { column: VolumeColumn; title: string } & Pick<Props, 'order' | 'onOrder'>) {
  const isOrder = order.column === column;
  const sorted = isOrder ? (order.isDescending ? 'descending' : 'ascending') : 'none';
  return (
    <span role="columnheader" className={`cell cell-${column}`} aria-sort={sorted}>
      <button
        type="button"
        className="plain sort"
        onClick={() => onOrder({ column, isDescending: isOrder && !order.isDescending })}
      >
        {title}
        <span aria-hidden="true">{isOrder ? (order.isDescending ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </span>
  );
}
