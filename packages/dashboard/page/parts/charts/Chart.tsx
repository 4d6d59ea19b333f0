import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Columns } from '../../../src/figures/tier.ts';
import { type ChartSpec, formatFigure, plotData } from '../../decisions/charts/charts.ts';
import { formatClock } from '../../decisions/times.ts';
import type { Colours } from './colours.ts';
import { plotOptions, type Surroundings } from './plot.ts';

interface Props {
  readonly spec: ChartSpec;
  readonly columns: Columns;
  readonly around: Surroundings;
  readonly colours: Colours;
}

/** A chart with its figures in words above it: those below the cross-hair, or the newest. */
export function Chart({ spec, columns, around, colours }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const surroundings = useRef(around);
  const data = useRef(columns);
  const [index, setIndex] = useState<number | null>(null);

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const options = plotOptions(spec, colours, element.clientWidth, () => surroundings.current, setIndex);
    const made = new uPlot(options, plotData(spec, data.current) as uPlot.AlignedData, element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: options.height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [spec, colours]);

  useEffect(() => {
    surroundings.current = around;
    data.current = columns;
    plot.current?.setData(plotData(spec, columns) as uPlot.AlignedData);
  }, [spec, columns, around]);

  const at = index !== null && index < columns.timesMs.length ? index : columns.timesMs.length - 1;
  const atMs = columns.timesMs[at];
  return (
    <>
      <p className="chart-figures">
        {spec.lines.map(({ field, label }, line) => (
          <span key={field}>
            <span className={`swatch swatch-${line + 1}`} aria-hidden="true" />
            {label} <strong>{formatFigure(columns.values[field]?.[at], spec.unit)}</strong>
          </span>
        ))}
        {around.given !== undefined && (
          <span>
            <span className="swatch swatch-given" aria-hidden="true" />
            given <strong>{formatFigure(around.given, spec.unit)}</strong>
          </span>
        )}
        {index !== null && atMs !== undefined && <span className="muted">at {formatClock(atMs)}</span>}
      </p>
      <div
        className="chart-place"
        ref={place}
        role="img"
        aria-label={`Chart of ${spec.title}; values in the table below`}
      />
    </>
  );
}
