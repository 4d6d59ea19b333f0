import { useCallback, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { graphLines } from '../../decisions/graph.ts';
import { foldKey, foldKinds } from '../../decisions/graphFold.ts';
import { type GraphModel, type GraphObject, modelOf, onlyProblems } from '../../decisions/graphModel.ts';
import { problemLines } from '../../decisions/graphTree.ts';
import { namedBy, summaryOf } from '../../decisions/graphWords.ts';
import '../../styles/graph.css';
import { download } from '../download.ts';
import { useNarrow } from '../useNarrow.ts';
import { Drawing } from './Drawing.tsx';
import { ExportDialog } from './ExportDialog.tsx';
import { Legend } from './Legend.tsx';
import { Panel } from './Panel.tsx';
import { svgFile } from './svgFile.ts';
import { Tree } from './Tree.tsx';
import { useGraph } from './useGraph.ts';

interface Props {
  readonly machine: { readonly namespace: string; readonly name: string };
  /** The subresource that has the graph. */
  readonly path: string;
  /** Changes with the objects that are watched; the graph is then read again. */
  readonly version: string;
}

/** Everything that an object needs: drawn or as a tree, with details, and to be taken away. */
export function ObjectGraph({ machine, path, version }: Props) {
  const { root, problem, reload } = useGraph(path, version);
  const isNarrow = useNarrow();
  const [parameters, setParameters] = useSearchParams();
  const view = parameters.get('view') ?? (isNarrow ? 'tree' : 'drawing');
  const isFiltered = parameters.get('show') === 'problems';
  const set = (name: string, value: string | undefined): void =>
    setParameters(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === undefined) next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const [chosen, setChosen] = useState<string>();
  const [looked, setLooked] = useState<string>();
  const [isExporting, setExporting] = useState(false);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const place = useRef<HTMLDivElement>(null);

  const whole = useMemo(() => root && modelOf(root), [root]);
  const model = useMemo(
    () => whole && foldKinds(isFiltered ? onlyProblems(whole) : whole, unfolded),
    [whole, isFiltered, unfolded],
  );
  const lines = useMemo(() => (root ? graphLines(root) : []), [root]);
  const onLook = useCallback((key: string | undefined): void => setLooked(key), []);

  if (!whole || !model)
    return problem ? <Problem text={problem} onRetry={reload} /> : <p className="muted">Loading…</p>;
  const summary = summaryOf(whole);
  const object = chosen === undefined ? undefined : (model.objects.get(chosen) ?? whole.objects.get(chosen));
  const close = (): void => {
    setChosen(undefined);
    const items = place.current?.querySelectorAll<SVGGElement | HTMLElement>('[data-key]') ?? [];
    [...items].find(({ dataset }) => dataset.key === chosen)?.focus();
  };
  const saveDrawing = (): void => {
    const svg = place.current?.querySelector<SVGSVGElement>('.drawing-scroll svg');
    if (svg) download(`${machine.name}-graph.svg`, 'image/svg+xml', svgFile(svg));
  };
  return (
    <div className="graph">
      {problem && <Problem text={problem} onRetry={reload} />}
      <div className="graph-bar">
        <p className={summary.isBad ? 'why' : 'muted'} role="status">
          {summary.text}
        </p>
        <div className="actions" role="group" aria-label="View">
          <button type="button" aria-pressed={view === 'drawing'} onClick={() => set('view', 'drawing')}>
            Drawing
          </button>
          <button type="button" aria-pressed={view === 'tree'} onClick={() => set('view', 'tree')}>
            Tree
          </button>
          <button
            type="button"
            aria-pressed={isFiltered}
            onClick={() => set('show', isFiltered ? undefined : 'problems')}
          >
            Only problems
          </button>
          <button type="button" onClick={reload}>
            Read again
          </button>
          {view === 'drawing' && (
            <button type="button" onClick={saveDrawing}>
              Save as SVG
            </button>
          )}
          <button type="button" onClick={() => setExporting(true)}>
            Export manifests…
          </button>
        </div>
      </div>
      <div className={object ? 'graph-place with-panel' : 'graph-place'} ref={place}>
        {view === 'tree' ? (
          <Tree
            lines={isFiltered ? problemLines(lines) : lines}
            label={`Objects that ${machine.name} needs`}
            onOpen={({ group, kind, namespace = '', name }) => setChosen([group, kind, namespace, name].join('/'))}
          />
        ) : (
          <Drawing
            model={model}
            label={`Objects that ${machine.name} needs`}
            chosen={chosen}
            onChoose={setChosen}
            onLook={onLook}
          />
        )}
        {object && (
          <Panel
            object={object}
            model={model.objects.has(object.key) ? model : whole}
            machine={machine}
            onClose={close}
            onUnfold={() => {
              setUnfolded((before) => new Set([...before, foldKey(object)]));
              setChosen(undefined);
            }}
          />
        )}
      </div>
      {view === 'drawing' && (
        <>
          <p className="graph-path">
            {lookedText(model, looked === undefined ? undefined : model.objects.get(looked))}
          </p>
          <Legend />
        </>
      )}
      {isExporting && <ExportDialog {...{ machine, path }} model={whole} onClose={() => setExporting(false)} />}
    </div>
  );
}

/** Where the object in sight is named. */
function lookedText(model: GraphModel, object: GraphObject | undefined): string {
  if (!object) return 'Point at an object to see the fields that name it.';
  const names = namedBy(model, object.key).map(
    ({ by, fieldPaths }) => `${fieldPaths.join(', ')} of ${by.kind} ${by.name}`,
  );
  return names.length > 0 ? `${object.kind} ${object.name}: ${names.join('; ')}` : `${object.kind} ${object.name}`;
}

function Problem({ text, onRetry }: { readonly text: string; readonly onRetry: () => void }) {
  return (
    <div className="callout callout-err" role="alert">
      <p>{text}</p>
      <button type="button" onClick={onRetry}>
        Read again
      </button>
    </div>
  );
}
