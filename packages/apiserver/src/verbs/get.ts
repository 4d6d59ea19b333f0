import { notFound } from '@vireo/api';
import { type ApiResponse, objectResponse } from '@vireo/kube';
import { groupResource, type VerbContext } from '../core.ts';
import { whenConverted } from '../registry/notConverted.ts';
import type { Resource } from '../registry/resource.ts';
import { asServed, keyOf } from '../registry/resource.ts';
import { negotiate, partialMetadata, type Representation, table } from '../representation.ts';
import type { Stored } from '../store/store.ts';
import { notOlderThan } from './list.ts';
import { parseResourceVersion } from './options.ts';

export async function get(context: VerbContext): Promise<ApiResponse> {
  const { request, core } = context;
  const wanted = request.query.get('resourceVersion') ?? '';
  if (wanted !== '' && wanted !== '0') await notOlderThan(core.store, parseResourceVersion(wanted), request.signal);
  const { custom } = context.resource;
  const representation = negotiate(request.headers.accept, request.query, { custom });
  return single(context.resource, await whenConverted(() => current(context)), representation);
}

/** The object that the request names, as this resource serves it. */
export function current({ core, resource, info }: VerbContext): Stored {
  const stored = core.store.get(keyOf(resource, info.namespace, info.name));
  if (!stored) throw notFound(groupResource(resource), info.name);
  return asServed(resource, stored);
}

/** One object in the form that the client asked for. */
export function single(resource: Resource, stored: Stored, representation: Representation, status = 200): ApiResponse {
  const protobuf = representation.protobuf && { protobuf: representation.protobuf };
  switch (representation.as) {
    case 'object':
      return objectResponse(stored.object, status, { bytes: () => stored.bytes, ...protobuf });
    case 'partial':
      return objectResponse(partialMetadata(stored.object), status, protobuf);
    case 'table':
      return objectResponse(
        table(resource.kind, [stored], representation, { resourceVersion: String(stored.revision) }),
        status,
      );
  }
}
