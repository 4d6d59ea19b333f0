import { matchesNodeTerm, tolerates } from '@vireo/api/kinds/core/nodeMatch.ts';
import { normalise, type Score } from '../score.ts';

/** Preferred node affinity: the weights of the terms that hold. */
export const nodeAffinityScore: Score = {
  name: 'NodeAffinity',
  weight: 2,
  rate(pod, nodes) {
    const terms = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (terms.length === 0) return undefined;
    return normalise(
      nodes.map(({ node }) =>
        terms.reduce(
          (sum, { preference, weight }) => sum + (node && matchesNodeTerm(preference, node) ? weight : 0),
          0,
        ),
      ),
    );
  },
};

/** Fewer untolerated PreferNoSchedule taints are better. */
export const taintScore: Score = {
  name: 'TaintToleration',
  weight: 3,
  rate(pod, nodes) {
    const unwelcome = nodes.map(
      ({ node }) =>
        (node?.spec?.taints ?? []).filter(
          (taint) => taint.effect === 'PreferNoSchedule' && !tolerates(pod.spec?.tolerations, taint),
        ).length,
    );
    return normalise(unwelcome, true);
  },
};

const MIN_BYTES = 23 * 1024 * 1024;
const MAX_BYTES_PER_CONTAINER = 1000 * 1024 * 1024;

/** Nodes that already have the images start sooner; small images make no difference. */
export const imageScore: Score = {
  name: 'ImageLocality',
  weight: 1,
  rate(pod, nodes) {
    const images = (pod.spec?.containers ?? []).flatMap(({ image }) => (image ? [withTag(image)] : []));
    if (images.length === 0) return undefined;
    const most = MAX_BYTES_PER_CONTAINER * images.length;
    const marks = nodes.map(({ node }) => {
      const present = (node?.status?.images ?? []).filter(({ names }) => names?.some((name) => images.includes(name)));
      const bytes = present.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0);
      return (100 * (Math.min(Math.max(bytes, MIN_BYTES), most) - MIN_BYTES)) / (most - MIN_BYTES);
    });
    return marks.every((mark) => mark === 0) ? undefined : marks;
  },
};

/** Nodes list their images with a tag or digest; a name without one means `latest`. */
const withTag = (image: string): string =>
  image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
