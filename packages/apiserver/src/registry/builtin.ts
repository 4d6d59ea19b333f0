import { builtinKinds, type Kind } from '@vireo/api';
import { strategyFor } from '../strategies/index.ts';
import { eventConversion, hpaConversion } from './conversions.ts';
import type { Registry } from './registry.ts';
import { type Conversion, storagePrefix } from './resource.ts';

/** Kinds that are one object in two shapes: which is stored, and how to get from the other. */
const CONVERSIONS: Readonly<Record<string, { conversion: Conversion; prefix: string }>> = {
  'events.k8s.io/v1/Event': { conversion: eventConversion, prefix: storagePrefix('', 'events') },
  'autoscaling/v1/HorizontalPodAutoscaler': {
    conversion: hpaConversion,
    prefix: storagePrefix('autoscaling', 'horizontalpodautoscalers'),
  },
};

/** Registers every built-in kind. */
export function registerBuiltinKinds(registry: Registry): void {
  for (const kind of builtinKinds as readonly Kind[]) {
    const special = CONVERSIONS[`${kind.group}/${kind.version}/${kind.kind}`];
    registry.add({
      kind,
      strategy: strategyFor(kind.group, kind.kind),
      prefix: special?.prefix ?? storagePrefix(kind.group, kind.plural),
      ...(special && { conversion: special.conversion }),
      custom: false,
    });
  }
}
