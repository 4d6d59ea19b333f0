import { Suspense, useMemo } from 'react';
import { Link } from 'wouter';
import { whole } from '../../data/kinds.ts';
import type { SetObject } from '../../data/setKinds.ts';
import { foldEvents } from '../../decisions/events.ts';
import { type SetKind, setHref, setRow, setState, setsPath } from '../../decisions/sets/set.ts';
import { Badge } from '../Badge.tsx';
import { EventList } from '../EventList.tsx';
import { useEvents } from '../events/useEvents.ts';
import { lazyPart } from '../lazyPart.ts';
import { useCollection } from '../session.tsx';
import { Unreadable } from '../Unreadable.tsx';
import { SetActions } from './SetActions.tsx';
import { SetOverview } from './SetOverview.tsx';

const ObjectEditor = lazyPart(async () => ({ default: (await import('../yaml/ObjectEditor.tsx')).ObjectEditor }));

const TABS = [
  ['overview', 'Overview'],
  ['events', 'Events'],
  ['yaml', 'YAML'],
] as const;

interface Props {
  readonly kind: SetKind;
  readonly namespace: string;
  readonly name: string;
  readonly tab: string;
}

/** One set: its number, its machines, and what goes wrong. */
export function SetDetail({ kind, namespace, name, tab }: Props) {
  const one = `?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  const sets = useCollection<SetObject, SetObject>(`${setsPath(kind, namespace)}${one}`, whole);
  const events = useEvents(namespace, { names: [name] });
  const object = sets.rows[0];
  const set = useMemo(() => object && setRow(object), [object]);
  const told = useMemo(
    () =>
      foldEvents(
        events.rows.filter(({ involvedObject }) => involvedObject?.kind === kind.kind && involvedObject.name === name),
      ),
    [events.rows, kind, name],
  );
  if (!object || !set) {
    if (sets.state.kind === 'loading') return null;
    return <Missing {...{ kind, namespace, name }} state={sets.state} />;
  }
  const { tone, text } = setState(set);
  const [path = '', query = ''] = setHref(kind, namespace, name).split('?');
  return (
    <section aria-label={`Set ${name}`}>
      <p className="crumbs">
        <Link href="/sets">Replica sets and pools</Link> / {namespace}
      </p>
      <div className="page-head">
        <h1 title={name}>{name}</h1>
        <Badge tone={tone}>{text}</Badge>
        {kind.id === 'pool' && <span className="small-mark small-mark-plain">pool</span>}
        <SetActions kind={kind} set={set} />
      </div>
      <nav className="tabs" aria-label="Views of the set">
        {TABS.map(([key, title]) => (
          <Link
            key={key}
            href={`${path}${key === 'overview' ? '' : `/${key}`}${query && `?${query}`}`}
            aria-current={tab === key ? 'page' : undefined}
          >
            {title}
          </Link>
        ))}
      </nav>
      <Suspense fallback={<p className="muted">Loading…</p>}>
        {tab === 'overview' && <SetOverview kind={kind} set={set} events={told} eventsState={events.state} />}
        {tab === 'events' && <EventList events={told} state={events.state} />}
        {tab === 'yaml' && (
          <ObjectEditor
            object={{ apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, ...object }}
            resource={kind.resource}
          />
        )}
      </Suspense>
    </section>
  );
}

function Missing({
  kind,
  namespace,
  name,
  state,
}: Omit<Props, 'tab'> & Pick<Parameters<typeof Unreadable>[0], 'state'>) {
  return (
    <div className="empty">
      <h1>
        There is no {kind.title} {name} in namespace {namespace}
      </h1>
      <Unreadable state={state} what="Sets" remedy="Ask an administrator for the role kubevirt.io:view." />
      <p>
        <Link href="/sets">All replica sets and pools</Link>
      </p>
    </div>
  );
}
