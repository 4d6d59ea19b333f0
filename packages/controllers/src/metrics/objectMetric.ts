import type { MetricSpec, Metrics, Sample } from '@vireo/kube';

/** A metric with a few series for every object of a kind. `Context`: what else has to be looked up. */
export interface ObjectMetric<T, Context> extends MetricSpec {
  samples(object: T, context: Context): Iterable<Sample>;
}

/** Has the metrics read off the objects that are there when somebody asks. */
export function readObjects<T, Context>(
  metrics: Metrics,
  table: readonly ObjectMetric<T, Context>[],
  objects: () => readonly T[],
  context: Context,
): void {
  for (const metric of table)
    metrics.read(metric, () => {
      // Without generators: there are thousands of objects, and a dozen metrics of each.
      const samples: Sample[] = [];
      for (const object of objects()) for (const sample of metric.samples(object, context)) samples.push(sample);
      return samples;
    });
}

export const seconds = (time: string): number => Math.floor(Date.parse(time) / 1000);
