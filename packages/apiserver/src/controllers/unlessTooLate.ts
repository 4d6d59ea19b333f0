import { isReason } from '@vireo/api';

/**
 * For what controllers put into every namespace: passes over a create that came too late, because the namespace is
 * going or gone or another writer was first.
 */
export function unlessTooLate(error: unknown): void {
  if (isReason(error, 'NotFound', 'AlreadyExists')) return;
  const causes = isReason(error, 'Forbidden') ? (error.status.details?.causes ?? []) : [];
  if (!causes.some(({ reason }) => reason === 'NamespaceTerminating')) throw error;
}
