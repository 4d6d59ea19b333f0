import type { Extent } from './pieces.ts';

/**
 * The part that a `Range` header asks for. `whole`: the header is to be ignored, since it is none, or asks for several
 * parts; `none`: nothing of what it asks for is there.
 */
export function rangeOf(header: string | undefined, sizeBytes: number): Extent | 'whole' | 'none' {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return 'whole';
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes);
    return length === 0 ? 'none' : { start: sizeBytes - length, end: sizeBytes };
  }
  const [start, last] = [Number(from), to === '' ? sizeBytes - 1 : Number(to)];
  if (last < start) return to === '' ? 'none' : 'whole';
  return start >= sizeBytes ? 'none' : { start, end: Math.min(last + 1, sizeBytes) };
}
