import { spreadCounts } from '../filters/topologySpread.ts';
import { normalise, type Score } from '../score.ts';

/** Soft spread constraints: places with fewer selected pods are better; nodes without the label come last. */
export const topologySpreadScore: Score = {
  name: 'PodTopologySpread',
  weight: 2,
  rate(pod, nodes, cluster) {
    const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(
      ({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway',
    );
    if (constraints.length === 0) return undefined;
    const keys = constraints.map(({ topologyKey }) => topologyKey);
    const counts = constraints.map((constraint) => spreadCounts(pod, constraint, cluster.nodes, keys));
    const crowds = nodes.map(({ node }) => {
      let crowd = 0;
      for (const [index, key] of keys.entries()) {
        const place = node?.metadata.labels?.[key];
        if (place === undefined) return undefined;
        crowd += counts[index]?.get(place) ?? 0;
      }
      return crowd;
    });
    const worst = Math.max(0, ...crowds.map((crowd) => crowd ?? 0)) + 1;
    return normalise(
      crowds.map((crowd) => crowd ?? worst),
      true,
    );
  },
};
