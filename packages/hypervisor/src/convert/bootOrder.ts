import { type Conversion, wholeNumber } from './conversion.ts';
import type { PlacedDisk } from './disks.ts';

/**
 * The order in which disks are tried, by disk name. Where nobody says, it is the order of the spec, with empty drives
 * last: firmware that gets no list would try the first disk alone.
 */
export function bootOrders({ devices }: Conversion, placed: readonly PlacedDisk[]): ReadonlyMap<string, number> {
  const isSaid = [...(devices.disks ?? []), ...(devices.interfaces ?? [])].some(({ bootOrder }) => bootOrder);
  if (!isSaid) {
    const tried = [...placed.filter(({ source }) => source), ...placed.filter(({ source }) => !source)];
    return new Map(tried.map(({ disk }, index) => [disk.name, index + 1]));
  }
  return new Map(
    placed.flatMap(({ disk, field }) =>
      disk.bootOrder ? [[disk.name, wholeNumber(disk.bootOrder, 1, 2 ** 31 - 1, `${field}.bootOrder`)] as const] : [],
    ),
  );
}
