import type uPlot from 'uplot';
import { axisRange, type ChartSpec, formatFigure } from '../../decisions/charts/charts.ts';
import { formatClock } from '../../decisions/times.ts';
import type { Colours } from './colours.ts';

/** What a chart needs beside its data; read anew with each drawing. */
export interface Surroundings {
  readonly fromMs: number;
  readonly toMs: number;
  readonly marksMs: readonly number[];
  readonly given: number | undefined;
}

export const CHART_HEIGHT = 176;
const SYNC = { key: 'machine' };
const AXIS_WIDTH = 72;
const TIME_HEIGHT = 28;
/** Powers of two, so that sizes in binary units are round. */
const BINARY_STEPS = Array.from({ length: 50 }, (_, power) => 2 ** power);
const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6];

/** How uPlot draws a chart. `around` is asked for what changes; `onCursor` gets the point below the cross-hair. */
export function plotOptions(
  spec: ChartSpec,
  colours: Colours,
  width: number,
  around: () => Surroundings,
  onCursor: (index: number | null) => void,
): uPlot.Options {
  const line = { stroke: colours.border, width: 1 };
  const axis = { stroke: colours.muted, font: '12px system-ui, sans-serif', grid: line, ticks: { ...line, size: 4 } };
  const isBinary = spec.unit === 'bytes' || spec.unit === 'bytesPerSecond';
  return {
    width,
    height: CHART_HEIGHT,
    legend: { show: false },
    cursor: { sync: SYNC, drag: { x: false, y: false }, points: { size: 6 } },
    scales: {
      x: { time: true, range: () => [around().fromMs / 1000, around().toMs / 1000] },
      y: { range: (_, least, most) => axisRange(spec, least, most, around().given) },
    },
    axes: [
      {
        ...axis,
        size: TIME_HEIGHT,
        space: 88,
        values: (_, splits) => splits.map((seconds) => formatClock(seconds * 1000)),
      },
      {
        ...axis,
        size: AXIS_WIDTH,
        space: 32,
        incrs: isBinary ? BINARY_STEPS : STEPS,
        values: (_, splits) => splits.map((value) => formatFigure(value, spec.unit).replace(/ cores?$/, '')),
      },
    ],
    series: [
      {},
      ...spec.lines.map((_, index) => ({
        stroke: index === 0 ? colours['series-1'] : colours['series-2'],
        width: 1.5,
      })),
    ],
    hooks: {
      draw: [(plot) => drawMarks(plot, colours, around())],
      setCursor: [(plot) => onCursor(plot.cursor.idx ?? null)],
    },
  };
}

/** The line at what was given, and starts of the machine. */
function drawMarks(plot: uPlot, colours: Colours, { marksMs, given }: Surroundings): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  if (given !== undefined) {
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.strokeStyle = colours.text;
    const y = Math.round(plot.valToPos(given, 'y', true));
    stroke(ctx, bbox.left, y, bbox.left + bbox.width, y);
  }
  ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.strokeStyle = colours.warn;
  for (const ms of marksMs) {
    const x = Math.round(plot.valToPos(ms / 1000, 'x', true));
    if (x >= bbox.left && x <= bbox.left + bbox.width) stroke(ctx, x, bbox.top, x, bbox.top + bbox.height);
  }
  ctx.restore();
}

function stroke(ctx: CanvasRenderingContext2D, fromX: number, fromY: number, toX: number, toY: number): void {
  ctx.beginPath();
  ctx.moveTo(fromX, fromY);
  ctx.lineTo(toX, toY);
  ctx.stroke();
}
