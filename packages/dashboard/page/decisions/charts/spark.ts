/** The size of a sparkline's drawing; it is stretched to its place. */
export const SPARK = { width: 100, height: 24 } as const;

/** A line through the values from 0 to `most`, as an SVG path. What is not known is left out: a gap stays a gap. */
export function sparkPath(values: readonly (number | null)[], most: number): string {
  const top = most > 0 ? most : 1;
  const step = SPARK.width / Math.max(1, values.length - 1);
  let path = '';
  let isJoined = false;
  for (const [index, value] of values.entries()) {
    if (value === null) {
      isJoined = false;
      continue;
    }
    const x = round(index * step);
    const y = round(SPARK.height - 1 - (Math.min(value, top) / top) * (SPARK.height - 2));
    const isAlone = !isJoined && values[index + 1] == null;
    path += `${isJoined ? 'L' : 'M'}${x} ${y}${isAlone ? `h${round(Math.min(step, 2))}` : ''}`;
    isJoined = true;
  }
  return path;
}

const round = (value: number): number => Math.round(value * 10) / 10;

/** How full a bar is, in percent; undefined if one of the two is not known. */
export function shareOf(used: number | undefined, given: number | undefined): number | undefined {
  if (used === undefined || !given) return undefined;
  return Math.min(100, (100 * used) / given);
}

/** From here on something is nearly full. */
export const NEARLY_FULL = 90;
