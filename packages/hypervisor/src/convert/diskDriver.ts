import { el, type XmlElement } from '../xml.ts';
import { isEnabled, oneOf } from './conversion.ts';
import type { PlacedDisk } from './disks.ts';
import { ConversionError } from './error.ts';

const CACHES = ['none', 'writethrough', 'writeback'] as const;
const POLICIES = ['stop', 'ignore', 'report', 'enospace'] as const;

/** `<driver>`: how the host reads and writes the disk. */
export function driver(placed: PlacedDisk, tuning: { ioThread?: number; queues?: number }): XmlElement {
  const { disk, field, kind, source } = placed;
  const policy = disk.errorPolicy || (kind === 'cdrom' ? '' : 'stop');
  const cache = source && cacheMode(placed);
  return el('driver', {
    name: 'qemu',
    type: source?.format ?? 'raw',
    cache,
    error_policy: policy ? oneOf(policy, POLICIES, `${field}.errorPolicy`) : undefined,
    io: source && ioMode(placed, cache),
    discard: 'unmap',
    iothread: tuning.ioThread,
    queues: tuning.queues,
  });
}

/** Past the host's cache where the storage can; elsewhere every write goes through it. */
function cacheMode({ disk, field, source }: PlacedDisk): string {
  const direct = source?.directIo ?? false;
  if (!disk.cache) return direct ? 'none' : 'writethrough';
  const cache = oneOf(disk.cache, CACHES, `${field}.cache`);
  if (cache === 'none' && !direct) {
    throw new ConversionError(
      `${field}.cache`,
      `none requires direct I/O, which the storage of ${source?.path} does not support`,
    );
  }
  return cache;
}

/** Native I/O blocks unless it goes past the cache; it pays on block devices. */
function ioMode({ disk, field, source }: PlacedDisk, cache: string | undefined): string | undefined {
  if (!disk.io) return source?.kind === 'block' && cache === 'none' ? 'native' : undefined;
  const io = oneOf(disk.io, ['native', 'threads'], `${field}.io`);
  if (io === 'native' && cache !== 'none') throw new ConversionError(`${field}.io`, 'native requires cache none');
  return io;
}

/** `<blockio>`: block sizes that the guest sees. */
export function blockIo({ disk, field, source }: PlacedDisk): XmlElement | undefined {
  const { custom, matchVolume } = disk.blockSize ?? {};
  if (custom?.discardGranularity !== undefined) {
    throw new ConversionError(
      `${field}.blockSize.custom.discardGranularity`,
      'this version of libvirt does not support it',
    );
  }
  if (custom) {
    return el('blockio', {
      logical_block_size: power(custom.logical, `${field}.blockSize.custom.logical`),
      physical_block_size: power(custom.physical, `${field}.blockSize.custom.physical`),
    });
  }
  if (!isEnabled(matchVolume) || !source?.blockSize) return undefined;
  const { logical, physical } = source.blockSize;
  return el('blockio', { logical_block_size: logical, physical_block_size: physical });
}

function power(value: number | undefined, field: string): number | undefined {
  if (value === undefined) return undefined;
  const isPower = Number.isInteger(value) && value >= 512 && value <= 2 ** 21 && (value & (value - 1)) === 0;
  if (!isPower) throw new ConversionError(field, `${value} is not a power of two from 512 to 2097152`);
  return value;
}
