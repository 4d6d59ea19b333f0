import { isReason } from '@vireo/api';

/** Whether a create was refused because its namespace is going: what was to be created for goes too, so nothing is wrong. */
export const isNamespaceEnding = (error: unknown): boolean =>
  isReason(error, 'Forbidden') &&
  (error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false);
