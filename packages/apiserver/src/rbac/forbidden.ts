import { ApiError, forbidden } from '@vireo/api';
import type { Attributes } from './match.ts';

/** `User "ada" cannot list resource "pods" in API group "" in the namespace "default"`. */
function denialMessage(attributes: Attributes): string {
  const { user, verb, group = '', resource = '', subresource, namespace, path } = attributes;
  const who = JSON.stringify(user.username);
  if (path !== undefined) return `User ${who} cannot ${verb} path ${JSON.stringify(path)}`;
  const what = JSON.stringify(subresource ? `${resource}/${subresource}` : resource);
  const where = namespace ? `in the namespace ${JSON.stringify(namespace)}` : 'at the cluster scope';
  return `User ${who} cannot ${verb} resource ${what} in API group ${JSON.stringify(group)} ${where}`;
}

/** The 403 for a request that was not allowed. `reason`: what the authorizer said. */
export function accessForbidden(attributes: Attributes, reason = ''): ApiError {
  const why = reason ? `${denialMessage(attributes)}: ${reason}` : denialMessage(attributes);
  if (attributes.path !== undefined) return new ApiError('Forbidden', `forbidden: ${why}`, {});
  const { group = '', resource = '', name = '' } = attributes;
  return forbidden({ group, resource }, name, why);
}
