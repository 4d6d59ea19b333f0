import { Link } from 'wouter';
import { Refused } from '../../data/refused.ts';
import { dependentsPath, pageOf } from '../../decisions/graphKinds.ts';
import type { GraphObject } from '../../decisions/graphModel.ts';
import { useRead } from './useRead.ts';

interface Dependent {
  readonly objectReference: { readonly kind: string; readonly name: string; readonly namespace?: string };
  readonly optional?: boolean;
  readonly fieldPaths?: readonly string[];
}

interface Props {
  readonly object: GraphObject;
  readonly machine: { readonly namespace: string; readonly name: string };
}

/** Which other machines name an object: they would miss it, too. */
export function Dependents({ object, machine }: Props) {
  const read = useRead<{ items?: readonly Dependent[] }>(dependentsPath(object) ?? '');
  return (
    <section aria-label="What else needs it">
      <h3>What else needs it</h3>
      {read &&
        ('error' in read ? <p className="muted">{problemOf(read.error)}</p> : list(read.value.items ?? [], machine))}
    </section>
  );
}

function list(items: readonly Dependent[], machine: Props['machine']) {
  const others = items.filter(
    ({ objectReference: { name, namespace } }) => name !== machine.name || namespace !== machine.namespace,
  );
  if (others.length === 0) return <p className="muted">Nothing else that you can see.</p>;
  return (
    <ul className="dependents">
      {others.map(({ objectReference: { kind, name, namespace = '' }, optional, fieldPaths = [] }) => {
        const page = pageOf({ kind, name, namespace }, machine);
        return (
          <li key={`${kind} ${namespace}/${name}`} title={fieldPaths.join('\n')}>
            {page ? <Link href={page.href}>{name}</Link> : name} <span className="muted">{kind}</span>
            {namespace !== machine.namespace && <span className="muted"> in {namespace}</span>}
            {optional && <span className="muted"> (optional)</span>}
          </li>
        );
      })}
    </ul>
  );
}

const problemOf = (error: Error): string =>
  error instanceof Refused && error.code === 404
    ? 'This server does not say which machines need an object.'
    : error.message;
