import type { KubeObject } from '../../data/kinds.ts';
import { objectPath } from '../../decisions/graphKinds.ts';
import type { GraphObject } from '../../decisions/graphModel.ts';
import { formatAge, formatTime } from '../../decisions/times.ts';
import { useNow } from '../session.tsx';
import { useRead } from './useRead.ts';

interface Details extends KubeObject {
  readonly status?: { readonly phase?: string; readonly capacity?: { readonly storage?: string } };
  readonly spec?: { readonly storageClassName?: string };
}

/** Metadata alone: what a Secret keeps is nobody's business here. */
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** A few facts of an object that is there and may be read; nothing if it may not. */
export function ObjectFacts({ object }: { readonly object: GraphObject }) {
  const path = objectPath(object);
  return path ? <Facts path={path} isSecret={object.kind === 'Secret'} /> : null;
}

function Facts({ path, isSecret }: { readonly path: string; readonly isSecret: boolean }) {
  const read = useRead<Details>(path, isSecret ? METADATA : 'application/json');
  const now = useNow(1_000);
  if (!read) return null;
  if ('error' in read)
    return (
      <div>
        <dt>Details</dt>
        <dd className="muted">{read.error.message}</dd>
      </div>
    );
  const { metadata, status, spec } = read.value;
  const rows = [
    ['Phase', status?.phase],
    ['Size', status?.capacity?.storage],
    ['Storage class', spec?.storageClassName],
    [
      'Labels',
      Object.entries(metadata.labels ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .join(', '),
    ],
  ] as const;
  return (
    <>
      <div>
        <dt>Created</dt>
        <dd title={formatTime(metadata.creationTimestamp)}>{formatAge(metadata.creationTimestamp, now)} ago</dd>
      </div>
      {rows.map(
        ([name, text]) =>
          text && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ),
      )}
    </>
  );
}
