import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { type GraphModel, pathTo } from '../../decisions/graphModel.ts';
import { type Direction, drawingOf, neighbour } from './layout.ts';
import { Node } from './Node.tsx';
import { useDragScroll } from './useDragScroll.ts';
import { useZoom } from './useZoom.ts';

interface Props {
  readonly model: GraphModel;
  readonly label: string;
  readonly chosen: string | undefined;
  readonly onChoose: (key: string) => void;
  /** Tells which object is pointed at or in focus. */
  readonly onLook: (key: string | undefined) => void;
}

/** The graph as a drawing that can be walked through by arrow keys, zoomed and dragged. */
export function Drawing({ model, label, chosen, onChoose, onLook }: Props) {
  const drawing = useMemo(() => drawingOf(model), [model]);
  const scroller = useRef<HTMLDivElement>(null);
  const { zoom, zoomIn, zoomOut, fit } = useZoom(scroller, drawing);
  useDragScroll(scroller);
  const [pointed, setPointed] = useState<string>();
  const [focused, setFocused] = useState<string>();
  const looked = pointed ?? focused;
  const lit = useMemo(() => (looked === undefined ? undefined : pathTo(model, looked)), [model, looked]);
  useEffect(() => onLook(looked), [looked, onLook]);
  const tabStop = focused !== undefined && model.objects.has(focused) ? focused : model.root;

  const walk = (event: KeyboardEvent): void => {
    if (!/^Arrow/.test(event.key)) return;
    event.preventDefault();
    const next = neighbour(drawing, tabStop, event.key as Direction);
    if (next === undefined) return;
    const nodes = scroller.current?.querySelectorAll<SVGGElement>('[data-key]') ?? [];
    [...nodes].find((node) => node.dataset.key === next)?.focus();
  };

  return (
    <div className="drawing">
      <div className="drawing-zoom" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom out" onClick={zoomOut}>
          −
        </button>
        <output aria-label="Zoom">{Math.round(zoom * 100)} %</output>
        <button type="button" aria-label="Zoom in" onClick={zoomIn}>
          +
        </button>
        <button type="button" onClick={fit}>
          Fit
        </button>
      </div>
      <div className="drawing-scroll" ref={scroller}>
        <svg
          className={lit ? 'lighting' : undefined}
          viewBox={`0 0 ${drawing.width} ${drawing.height}`}
          width={drawing.width * zoom}
          height={drawing.height * zoom}
          role="group"
          aria-label={label}
          onKeyDown={walk}
          onBlur={() => setFocused(undefined)}
        >
          {drawing.links.map(({ link, path }) => (
            <path
              key={`${link.from}\n${link.to}`}
              d={path}
              className={`link${link.isOptional ? ' link-optional' : ''}${lit?.has(link.from) && lit.has(link.to) ? ' lit' : ''}`}
            />
          ))}
          {drawing.nodes.map(({ object, x, y }) => (
            <Node
              key={object.key}
              {...{ object, x, y }}
              isLit={lit?.has(object.key) ?? false}
              isChosen={chosen === object.key}
              isTabStop={tabStop === object.key}
              onPoint={setPointed}
              onFocus={setFocused}
              onOpen={onChoose}
            />
          ))}
        </svg>
      </div>
    </div>
  );
}
