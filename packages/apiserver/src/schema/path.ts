/** The path of a field below `path`. */
export const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

/** The order in which fields are met where the keys of every object are sorted. */
export function byKeys(a: string, b: string): number {
  const [left, right] = [a, b].map((path) => path.split(/[.[\]]+/));
  for (let i = 0; i < left!.length && i < right!.length; i++) {
    const [x, y] = [left![i]!, right![i]!];
    if (x === y) continue;
    return /^\d+$/.test(x) && /^\d+$/.test(y) ? Number(x) - Number(y) : x < y ? -1 : 1;
  }
  return left!.length - right!.length;
}
