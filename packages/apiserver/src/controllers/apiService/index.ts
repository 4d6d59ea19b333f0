import type { UnknownObject } from '@vireo/api';
import { APIService } from '@vireo/api/kinds/index.ts';
import { type ControllerContext, runController } from '@vireo/kube';
import type { Registry } from '../../registry/registry.ts';
import type { Services } from '../../services/services.ts';
import { availability, localApiService, MANAGED_LABEL } from './decide.ts';

export const API_SERVICE_CONTROLLER = 'system:serviceaccount:kube-system:apiservice-controller';

/** One APIService a group-version that is served here, and an Available condition on every one. */
export function startApiServiceController(
  context: ControllerContext & { readonly registry: Registry; readonly services: Services },
  signal: AbortSignal,
): Promise<void> {
  const { client, registry, services } = context;
  const apiServices = context.informers.for<UnknownObject>(APIService);
  const servedHere = (): Map<string, UnknownObject> => {
    const wanted = [...registry.groupVersions().values()].map(([first]) =>
      localApiService(first!.kind.group, first!.kind.version),
    );
    return new Map(wanted.map((object) => [object.metadata.name as string, object]));
  };
  const namesServedHere = (): Iterable<string> => servedHere().keys();
  const managedNames = (): string[] =>
    apiServices.list().flatMap(({ metadata }) => (metadata.labels?.[MANAGED_LABEL] ? [metadata.name] : []));

  return runController(
    {
      name: 'apiservice',
      for: apiServices,
      sources: [
        (queue) =>
          registry.onChange(() => {
            for (const name of [...namesServedHere(), ...managedNames()]) queue.add(name);
          }),
      ],
      initialKeys: namesServedHere,
      reconcile: async (name) => {
        const resource = client.of<UnknownObject>(APIService);
        const existing = apiServices.get(name);
        const local = servedHere().get(name);
        if (!existing) {
          if (local) await resource.create(local);
          return;
        }
        const isManaged = existing.metadata.labels?.[MANAGED_LABEL] !== undefined;
        if (isManaged && !local) {
          await resource.delete(name);
          return;
        }
        const status = availability(
          existing,
          (namespace, service) => services.find(namespace, service) !== undefined,
          new Date(),
        );
        if (status) await resource.patchStatus(name, { status }, { type: 'merge' });
      },
    },
    context,
    signal,
  );
}
