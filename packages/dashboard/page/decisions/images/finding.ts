import type { Volume } from './volumes.ts';

/** Whether a volume is what is looked for: every word must be in one of its texts; `-word` must not. */
export function isFound(volume: Volume, search: string): boolean {
  const texts = [
    volume.name,
    volume.displayName ?? '',
    volume.namespace,
    volume.kind,
    volume.what,
    volume.state.label,
    volume.state.word,
    volume.state.group === 'trouble' ? 'error' : '',
    volume.storageClass ?? '',
    volume.origin,
    ...volume.users.map(({ name }) => name),
  ].map((text) => text.toLowerCase());
  return search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '' && word !== '-')
    .every((word) => {
      const isNegated = word.startsWith('-');
      return texts.some((text) => text.includes(isNegated ? word.slice(1) : word)) !== isNegated;
    });
}

export const VOLUME_COLUMNS = ['name', 'what', 'state', 'size', 'class', 'users', 'age'] as const;
export type VolumeColumn = (typeof VOLUME_COLUMNS)[number];

export interface VolumeOrder {
  readonly column: VolumeColumn;
  readonly isDescending: boolean;
}

/** The order in an address, such as `-size`. */
export function parseVolumeOrder(text: string | null): VolumeOrder {
  const isDescending = text?.startsWith('-') ?? false;
  const column = VOLUME_COLUMNS.find((each) => each === (isDescending ? text?.slice(1) : text));
  return column ? { column, isDescending } : { column: 'name', isDescending: false };
}

export const volumeOrderText = ({ column, isDescending }: VolumeOrder): string =>
  column === 'name' && !isDescending ? '' : `${isDescending ? '-' : ''}${column}`;

const VALUES: Readonly<Record<VolumeColumn, (volume: Volume) => string | number>> = {
  name: ({ name }) => name,
  what: ({ what }) => what,
  state: ({ state }) => state.label,
  size: ({ sizeBytes }) => sizeBytes ?? -1,
  class: ({ storageClass }) => storageClass ?? '',
  users: ({ users }) => users.length,
  // The youngest first, as the column counts from now.
  age: ({ createdAt }) => -Date.parse(createdAt ?? '') || 0,
};

/** Sorted by a column; what is equal there, by namespace and name. */
export function sortVolumes(volumes: readonly Volume[], { column, isDescending }: VolumeOrder): Volume[] {
  const value = VALUES[column];
  const sign = isDescending ? -1 : 1;
  return [...volumes].sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left !== right) return (left < right ? -1 : 1) * sign;
    return a.name === b.name ? (a.key < b.key ? -1 : 1) : a.name < b.name ? -1 : 1;
  });
}
