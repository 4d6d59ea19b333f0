import type { KubeObject } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { CustomResourceDefinition } from '@vireo/api/kinds/index.ts';
import { runController, WorkQueue } from '@vireo/kube';
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
  const queue = new WorkQueue();
  const add = (object: KubeObject): void => queue.add(object.metadata.name as string);
  /** A name that somebody gave up may be what another one waits for. */
  const addGroup = (object: KubeObject): void => {
    for (const other of definitions.list()) if (groupOf(other) === groupOf(object)) add(other);
  };
  definitions.on({
    added: add,
    updated: (old, object) => {
      add(object);
      if (!deepEqual(acceptedNames(old), acceptedNames(object))) addGroup(object);
    },
    deleted: addGroup,
  });
  return runController(
    {
      name: 'customresourcedefinition',
      queue,
      informers: [definitions],
      log: context.log,
      metrics: context.metrics,
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

const groupOf = (object: KubeObject): string => (object as Crd).spec.group;
const acceptedNames = (object: KubeObject) => (object as Crd).status?.acceptedNames;
