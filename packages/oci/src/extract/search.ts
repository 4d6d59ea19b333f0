import { OciError } from '../errors.ts';
import type { Descriptor } from '../manifest.ts';
import { type ChosenDisk, chooseDisk, type LayerFinds } from './choose.ts';

/** Layers that are read at the same time. */
const PARALLEL = 3;

/**
 * Looks through layers from the uppermost down, a few at a time, until it is certain which disk is the image's. Those
 * that no longer matter are aborted.
 */
export async function searchLayers(
  layers: readonly Descriptor[],
  searchOne: (layer: Descriptor, signal: AbortSignal) => Promise<LayerFinds>,
  { wanted, image, signal }: { wanted: string | undefined; image: string; signal?: AbortSignal },
): Promise<ChosenDisk> {
  const order = layers.toReversed();
  const stop = new AbortController();
  const ended = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const running: Promise<LayerFinds>[] = [];
  const begin = (): void => {
    const layer = order[running.length];
    if (!layer) return;
    const search = searchOne(layer, ended);
    // Awaited in order below; until then a failure is nobody's.
    search.catch(() => {});
    running.push(search);
  };
  for (let count = 0; count < PARALLEL; count++) begin();
  try {
    const finds: LayerFinds[] = [];
    for (let index = 0; index < order.length; index++) {
      finds.push(await (running[index] as Promise<LayerFinds>));
      begin();
      const chosen = chooseDisk(finds, wanted, finds.length === order.length, image);
      if (chosen) return chosen;
    }
    throw new OciError('NoDisk', `${image} has no layers`);
  } finally {
    stop.abort();
    await Promise.allSettled(running);
  }
}
