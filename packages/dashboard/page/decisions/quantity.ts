const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** The bytes of a Kubernetes quantity such as `512Mi`; undefined if it is none that memory is given in. */
export function bytesOf(quantity: string | undefined): number | undefined {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)([kMGT]|[KMGT]i)?$/.exec(quantity ?? '') ?? [];
  const factor = FACTORS[unit];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

/** A size in binary units, as people read it: `512 MiB`, `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const index = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  const value = bytes / 2 ** (index * 10);
  return `${value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${units[index]}`;
}
