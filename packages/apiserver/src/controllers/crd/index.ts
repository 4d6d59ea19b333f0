import type { KubeObject } from '@vireo/api';
import { CustomResourceDefinition } from '@vireo/api/kinds/index.ts';
import { runController } from '@vireo/kube';
import type { Crd } from '../../crd/types.ts';
import type { Registry } from '../../registry/registry.ts';
import type { ControllerContext } from '../context.ts';
import { reconcileCrd } from './reconcile.ts';

export const CRD_CONTROLLER = 'system:serviceaccount:kube-system:customresourcedefinition-controller';

/** Establishes CustomResourceDefinitions, and empties those that are being deleted. */
export function startCrdController(
  context: ControllerContext & { readonly registry: Registry },
  signal: AbortSignal,
): Promise<void> {
  const definitions = context.informers.for<KubeObject>(CustomResourceDefinition);
  return runController(
    {
      name: 'customresourcedefinition',
      informers: [definitions],
      log: context.log,
      reconcile: async (key) => {
        const crd = definitions.get(key) as Crd | undefined;
        if (!crd) return undefined;
        const others = (definitions.list() as Crd[]).filter(({ metadata }) => metadata.uid !== crd.metadata.uid);
        return reconcileCrd(context.client, context.registry, crd, others);
      },
    },
    signal,
  );
}
