/** Classes such as `\pL` are long lists of ranges. */
const CLASS_WEIGHT = 60;
const CHARACTER_WEIGHT = 2;

/**
 * How large the program of a pattern becomes, before it is compiled: `(ab){1000}` is short, but is written out a
 * thousand times. In units of about five microseconds; it need not be exact, and patterns that are wrong have one, too.
 */
export function patternWeight(source: string): number {
  const groups = [0];
  let last = 0;
  const add = (weight: number) => {
    groups[groups.length - 1] = (groups.at(-1) as number) + weight;
    last = weight;
  };
  for (const [token] of source.matchAll(TOKEN)) {
    const repeat = /^\{(\d+)(?:,(\d*))?\}$/.exec(token);
    if (token === '(') groups.push(CHARACTER_WEIGHT);
    else if (token === ')') add(groups.length > 1 ? (groups.pop() as number) : CHARACTER_WEIGHT);
    else if (repeat) add(last * Math.max(Number(repeat[1]), Number(repeat[2] || 0), 1));
    else if (/^\[|^\\[pP]/.test(token)) add(classWeight(token));
    else add(CHARACTER_WEIGHT);
  }
  return groups.reduce((sum, weight) => sum + weight, 0);
}

const TOKEN = /\{\d{1,9}(?:,\d{0,9})?\}|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?|\\[pP](?:\{\^?\w*\}|\w)?|\\.|./gs;

function classWeight(token: string): number {
  const classes = token.match(/\\[pP]/g)?.length ?? 0;
  return CHARACTER_WEIGHT + classes * CLASS_WEIGHT + (token.length >> 3);
}
