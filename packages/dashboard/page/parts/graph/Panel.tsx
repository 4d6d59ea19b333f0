import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { dependentsPath, pageOf } from '../../decisions/graphKinds.ts';
import type { GraphModel, GraphObject } from '../../decisions/graphModel.ts';
import { namedBy, statusWords } from '../../decisions/graphWords.ts';
import { Dependents } from './Dependents.tsx';
import { ObjectFacts } from './ObjectFacts.tsx';

interface Props {
  readonly object: GraphObject;
  readonly model: GraphModel;
  readonly machine: { readonly namespace: string; readonly name: string };
  readonly onClose: () => void;
  /** Shows each object of a kind that is folded. */
  readonly onUnfold: () => void;
}

/** What is known about one object: its state, who names it where, and what else needs it. */
export function Panel({ object, model, machine, onClose, onUnfold }: Props) {
  const { key, kind, name, namespace, status, count } = object;
  const panel = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus goes to each object that is opened
  useEffect(() => panel.current?.focus(), [key]);
  const page = count === 1 ? pageOf(object, machine) : undefined;
  const isRoot = key === model.root;
  return (
    <aside
      className="graph-panel card"
      ref={panel}
      tabIndex={-1}
      aria-label={`${kind} ${name}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <div className="graph-panel-head">
        <h2>
          <span className="muted">{kind}</span> {name}
        </h2>
        <button type="button" className="plain" aria-label="Close details" onClick={onClose}>
          ✕
        </button>
      </div>
      <dl className="facts">
        <Fact name="Status">{statusWords(object)}</Fact>
        {namespace !== '' && <Fact name="Namespace">{namespace}</Fact>}
        {namedBy(model, key).map(({ by, fieldPaths }) => (
          <Fact key={by.key} name="Needed by">
            {by.kind} {by.name}
            {fieldPaths.slice(0, 5).map((path) => (
              <code key={path}>{path}</code>
            ))}
          </Fact>
        ))}
        {count === 1 && status === 'present' && <ObjectFacts object={object} />}
      </dl>
      {count > 1 && (
        <button type="button" onClick={onUnfold}>
          Show all {count}
        </button>
      )}
      {page && !isRoot && (
        <p>
          <Link href={page.href}>{page.title}</Link>
        </p>
      )}
      {count === 1 && dependentsPath(object) && <Dependents object={object} machine={machine} />}
    </aside>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
