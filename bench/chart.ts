import { el, writeXml, type XmlElement } from '@vireo/hypervisor/xml.ts';
import { figure, type Result, ratioOf } from './report.ts';

const WIDTH = 900;
/** Where the bars' part begins and ends; to its left stand the names. */
const [LEFT, RIGHT] = [520, 840];
const ROW = 26;
const HEAD = 58;
const FOOT = 34;
/** Ratios beyond these are cut off; the number says what they are. */
const [LEAST, MOST] = [1 / 8, 8];

const COLOURS = { met: '#2f7d5b', missed: '#b4532a', plain: '#5b7083' };

/** A figure with a baseline. `gain`: how many times as good as the baseline it is, whichever way is up. */
type Row = Result & { readonly gain: number };

/**
 * The figures that have a baseline, as bars that begin where value and baseline are the same, and go to the right when
 * ours is better. The scale is logarithmic: twice as good and half as good are equally far away.
 */
export function chart(title: string, results: readonly Result[]): string {
  const rows = results.flatMap((result): Row[] => {
    const ratio = ratioOf(result);
    return ratio === null || ratio <= 0 ? [] : [{ ...result, gain: result.better === 'more' ? ratio : 1 / ratio }];
  });
  const height = HEAD + rows.length * ROW + FOOT;
  const hint = 'compared with the baseline of the same run, with the interquartile range; right is better';
  const svg = el(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${WIDTH} ${height}`,
      width: WIDTH,
      height,
      'font-family': 'system-ui, sans-serif',
      'font-size': 12,
      role: 'img',
      'aria-label': title,
    },
    el('rect', { width: WIDTH, height, fill: '#fff' }),
    el('text', { x: 16, y: 24, 'font-size': 16, 'font-weight': 600, fill: '#222' }, title),
    el('text', { x: WIDTH - 16, y: 24, 'text-anchor': 'end', fill: '#666' }, hint),
    ...[1 / 4, 1 / 2, 1, 2, 4].flatMap((gain) => tick(gain, height)),
    ...rows.map((row, index) => bar(row, HEAD + index * ROW)),
  );
  return writeXml(svg);
}

function tick(gain: number, height: number): XmlElement[] {
  const at = x(gain);
  const text = gain < 1 ? `1/${Math.round(1 / gain)}` : String(gain);
  return [
    el('line', { x1: at, y1: HEAD - 6, x2: at, y2: height - 26, stroke: gain === 1 ? '#444' : '#ddd' }),
    el('text', { x: at, y: height - 10, 'text-anchor': 'middle', fill: '#666' }, text),
  ];
}

function bar(row: Row, top: number): XmlElement {
  const [middle, end] = [x(1), x(row.gain)];
  const isBetter = end >= middle;
  const words = `${row.metric}: ${figure(row.value)} ${row.unit}, baseline ${figure(row.baseline ?? 0)}`;
  const box = { x: Math.min(middle, end), y: top + 3, width: Math.max(Math.abs(end - middle), 1), height: ROW - 10 };
  // Beside the bar and its whisker.
  const ends = [end, ...(row.spread?.ratio ?? []).map((ratio) => x(row.better === 'more' ? ratio : 1 / ratio))];
  const beside = isBetter ? Math.max(...ends) + 6 : Math.min(...ends) - 6;
  const number = { x: beside, y: top + 15, 'text-anchor': isBetter ? 'start' : 'end', fill: '#444' };
  return el(
    'g',
    {},
    el('title', {}, words),
    el('text', { x: 16, y: top + 14, fill: '#222' }, shorten(row.metric)),
    el('rect', { ...box, fill: colour(row) }),
    ...whisker(row, top),
    el('text', number, `${row.gain.toFixed(2)}×`),
  );
}

/** A line from one end of the spread to the other, where there were several rounds. */
function whisker({ spread, better }: Row, top: number): XmlElement[] {
  if (!spread?.ratio) return [];
  const [left, right] = spread.ratio.map((ratio) => x(better === 'more' ? ratio : 1 / ratio)).sort((a, b) => a - b);
  const middle = top + ROW / 2 - 2;
  const line = (x1: number, y1: number, x2: number, y2: number): XmlElement =>
    el('line', { x1, y1, x2, y2, stroke: '#111', 'stroke-opacity': 0.6 });
  return [line(left!, middle, right!, middle), ...[left!, right!].map((end) => line(end, middle - 4, end, middle + 4))];
}

function x(gain: number): number {
  const clamped = Math.min(MOST, Math.max(LEAST, gain));
  return Math.round(LEFT + (Math.log(clamped / LEAST) / Math.log(MOST / LEAST)) * (RIGHT - LEFT));
}

/** Only an aim of the ratio can be met or missed by what is drawn. */
function colour({ aim, better, gain }: Row): string {
  if (aim?.of !== 'ratio') return COLOURS.plain;
  return gain >= (better === 'more' ? aim.bound : 1 / aim.bound) ? COLOURS.met : COLOURS.missed;
}

const shorten = (text: string): string => (text.length > 76 ? `${text.slice(0, 75)}…` : text);
