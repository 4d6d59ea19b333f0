import { isReason, type Kind, type KubeObject } from '@vireo/api';

/**
 * Whether a write met what others have done since its object was read: changed it, made it or deleted it, or the
 * namespace with it. Whoever looks again sees that and knows what to do; it is no fault that anybody should hear of.
 * A kind that is not served is another matter: it does not go away by looking again.
 */
export const isConcurrentChange = (error: unknown): boolean =>
  isReason(error, 'Conflict', 'AlreadyExists') ||
  (isReason(error, 'NotFound') && error.status.details?.name !== undefined) ||
  isNamespaceTerminating(error);

/** Whether nothing can be made in a namespace any more, because it is being deleted. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  isReason(error, 'Forbidden') &&
  (error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false);

/** Whether the object itself has gone, rather than something that it needs, which may well have the same name. */
export const isGone = (
  error: unknown,
  { plural }: Pick<Kind, 'plural'>,
  { metadata }: Pick<KubeObject, 'metadata'>,
): boolean =>
  isReason(error, 'NotFound') && error.status.details?.kind === plural && error.status.details.name === metadata.name;
