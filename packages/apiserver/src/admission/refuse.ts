import { type ApiError, forbidden, type StatusCause } from '@vireo/api';
import type { AdmissionRequest } from './admission.ts';

/** 403 in the words of an admission plug-in. An object without a name yet goes by the prefix of the name to come. */
export function refuse(
  request: Pick<AdmissionRequest, 'kind' | 'name' | 'object'>,
  why: string,
  causes?: StatusCause[],
): ApiError {
  const { kind, object } = request;
  const name = request.name || object?.metadata.name || object?.metadata.generateName || '';
  const error = forbidden({ group: kind.group, resource: kind.plural }, name, why);
  if (causes && error.status.details) error.status.details.causes = causes;
  return error;
}

/** Whether the request writes objects of a resource themselves, not a subresource. */
export const isAbout = ({ kind, subresource }: AdmissionRequest, group: string, plural: string): boolean =>
  kind.group === group && kind.plural === plural && !subresource;

/** A new pod; mirror pods only show what a node runs by itself and are left as they are. */
export const isNewPod = (request: AdmissionRequest): boolean =>
  request.operation === 'CREATE' &&
  isAbout(request, '', 'pods') &&
  request.object?.metadata.annotations?.['kubernetes.io/config.mirror'] === undefined;

/** Whether the request changes what a pod requests of its node. */
export const isResize = ({ kind, subresource }: AdmissionRequest): boolean =>
  kind.group === '' && kind.plural === 'pods' && subresource === 'resize';
