import type { MetricSpec, Metrics, Sample } from '@vireo/kube';

/** A metric with a few series for every object of a kind. `World`: what else has to be looked up. */
export interface ObjectMetric<T, World> extends MetricSpec {
  samples(object: T, world: World): Iterable<Sample>;
}

/** Has the metrics read off the objects that are there when somebody asks. */
export function readObjects<T, World>(
  metrics: Metrics,
  table: readonly ObjectMetric<T, World>[],
  objects: () => readonly T[],
  world: World,
): void {
  for (const metric of table)
    metrics.read(metric, () => {
      // Without generators: there are thousands of objects, and a dozen metrics of each.
      const samples: Sample[] = [];
      for (const object of objects()) for (const sample of metric.samples(object, world)) samples.push(sample);
      return samples;
    });
}

export const seconds = (time: string): number => Math.floor(Date.parse(time) / 1000);
