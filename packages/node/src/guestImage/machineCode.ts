/** A byte as it is, a place that others refer to, or a reference to such a place. */
type Item = number | Label | Reference;
type Label = { readonly label: string };
type Reference = { readonly to: string; readonly size: 1 | 2 | 4; readonly relative: boolean };

/** One instruction. */
export const code = (...items: Item[]): Item[] => items;
/** A text that ends with a zero byte. */
export const text = (value: string): Item[] => [...Buffer.from(`${value}\0`, 'latin1')];
/** A place that others refer to. */
export const label = (name: string): Item[] => [{ label: name }];
/** The distance to a label in one byte, as short jumps take it. */
export const near = (to: string): Item => ({ to, size: 1, relative: true });
/** The distance to a label in two bytes, as calls take it. */
export const far = (to: string): Item => ({ to, size: 2, relative: true });
/** The address of a label. */
export const address = (to: string): Item => ({ to, size: 2, relative: false });
/** The address of a label, for code of 32 bits. */
export const address32 = (to: string): Item => ({ to, size: 4, relative: false });

/** Puts instructions together and fills in where the labels are, for code that runs at `origin`. */
export function assemble(origin: number, instructions: readonly Item[][]): Buffer {
  const items = instructions.flat();
  const places = new Map<string, number>();
  let length = 0;
  for (const item of items) {
    if (isLabel(item)) places.set(item.label, length);
    length += sizeOf(item);
  }
  const output = Buffer.alloc(length);
  let at = 0;
  for (const item of items) {
    if (typeof item === 'number') output[at] = item;
    else if (!isLabel(item)) writeReference(output, at, item, places, origin);
    at += sizeOf(item);
  }
  return output;
}

const isLabel = (item: Item): item is Label => typeof item === 'object' && 'label' in item;

const sizeOf = (item: Item): number => (typeof item === 'number' ? 1 : isLabel(item) ? 0 : item.size);

function writeReference(
  output: Buffer,
  at: number,
  { to, size, relative }: Reference,
  places: ReadonlyMap<string, number>,
  origin: number,
): void {
  const place = places.get(to);
  if (place === undefined) throw new Error(`there is no label ${to}`);
  // Distances count from behind the reference, which ends its instruction.
  if (relative) output.writeIntLE(place - at - size, at, size);
  else output.writeUIntLE(origin + place, at, size);
}
