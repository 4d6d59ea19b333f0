import { useCallback, useEffect, useState } from 'react';
import type { GraphNode } from '../data/kinds.ts';
import { Refused } from '../data/refused.ts';
import { type GraphLine, graphLines, graphProblems } from '../decisions/graph.ts';
import type { Machine } from '../decisions/machine.ts';
import { useSession } from './session.tsx';

type Read = { readonly lines: readonly GraphLine[] } | { readonly problem: string } | undefined;

/** Everything that a machine depends on, as a tree: what is missing, and what the user may not see, is told apart. */
export function GraphTree({ machine }: { readonly machine: Machine }) {
  const { namespace, name, isVm } = machine;
  const { api } = useSession().session;
  const [read, setRead] = useState<Read>();
  const resource = isVm ? 'virtualmachines' : 'virtualmachineinstances';
  const path = `/apis/subresources.kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}/objectgraph`;
  const load = useCallback(async (): Promise<void> => {
    try {
      setRead({ lines: graphLines(await api.request<GraphNode>('GET', path)) });
    } catch (error) {
      setRead({ problem: problemOf(error) });
    }
  }, [api, path]);
  useEffect(() => void load(), [load]);

  if (!read) return <p className="muted">Loading…</p>;
  const again = (
    <button type="button" onClick={() => void load()}>
      Read again
    </button>
  );
  if ('problem' in read) {
    return (
      <div className="callout callout-err" role="alert">
        <p>{read.problem}</p>
        {again}
      </div>
    );
  }
  const problems = graphProblems(read.lines);
  return (
    <div className="graph">
      <div className="graph-head">
        <p className={problems ? 'why' : 'muted'}>{problems ?? `${read.lines.length - 1} objects, all there.`}</p>
        {again}
      </div>
      <ul className="graph-lines">
        {read.lines.map((line) => (
          <Line key={line.key} line={line} />
        ))}
      </ul>
    </div>
  );
}

const STATUS_WORDS = { present: undefined, missing: 'missing', forbidden: 'not visible to you' } as const;
const STATUS_SIGNS = { present: '●', missing: '✕', forbidden: '⊘' } as const;

function Line({ line }: { readonly line: GraphLine }) {
  const { depth, kind, name, status, isOptional, fieldPath, isTruncated } = line;
  return (
    <li className={`graph-line graph-${status}`} style={{ marginInlineStart: depth * 24 }} title={fieldPath}>
      <span className="graph-sign" aria-hidden="true">
        {STATUS_SIGNS[status]}
      </span>
      <span className="visually-hidden">Level {depth + 1}: </span>
      <span className="graph-kind">{kind}</span> <strong>{name}</strong>
      {STATUS_WORDS[status] && <span className="graph-word">{STATUS_WORDS[status]}</span>}
      {isOptional && <span className="muted">optional</span>}
      {isTruncated && <span className="muted">has more below</span>}
    </li>
  );
}

function problemOf(error: unknown): string {
  if (error instanceof Refused && error.code === 404)
    return `This server has no object graph, or it is turned off: ${error.message}`;
  return `The object graph cannot be read: ${error instanceof Error ? error.message : error}`;
}
