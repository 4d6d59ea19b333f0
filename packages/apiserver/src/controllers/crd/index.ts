import type { KubeObject } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { CustomResourceDefinition } from '@vireo/api/kinds/index.ts';
import { type ControllerContext, keyOf, runController, watch } from '@vireo/kube';
import type { Crd } from '../../crd/types.ts';
import type { Registry } from '../../registry/registry.ts';
import { reconcileCrd } from './reconcile.ts';

export const CRD_CONTROLLER = 'system:serviceaccount:kube-system:customresourcedefinition-controller';

/** Establishes CustomResourceDefinitions, and empties those that are being deleted. */
export function startCrdController(
  context: ControllerContext & { readonly registry: Registry },
  signal: AbortSignal,
): Promise<void> {
  const definitions = context.informers.for<KubeObject>(CustomResourceDefinition);
  /** A name that somebody gave up may be what another one waits for. */
  const groupKeys = (object: KubeObject): string[] =>
    definitions
      .list()
      .filter((other) => groupOf(other) === groupOf(object))
      .map(keyOf);
  return runController(
    {
      name: 'customresourcedefinition',
      for: definitions,
      watches: [
        watch(definitions, {
          updated: (old, object) =>
            deepEqual(acceptedNames(old), acceptedNames(object)) ? undefined : groupKeys(object),
          deleted: groupKeys,
        }),
      ],
      reconcile: async (key) => {
        const crd = definitions.get(key) as Crd | undefined;
        if (!crd) return undefined;
        const others = (definitions.list() as Crd[]).filter(({ metadata }) => metadata.uid !== crd.metadata.uid);
        return reconcileCrd(context.client, context.registry, crd, others);
      },
    },
    context,
    signal,
  );
}

const groupOf = (object: KubeObject): string => (object as Crd).spec.group;
const acceptedNames = (object: KubeObject) => (object as Crd).status?.acceptedNames;
