import { ApiError } from '@vireo/api';
import type { About, Log } from '@vireo/kube';

const UNFORESEEN = 500;

/**
 * What whoever sends or fetches data is told of an error, in plain text. What nobody foresaw is for the log alone: it
 * may name files of the host.
 */
export function plainAnswer(
  error: unknown,
  doing: string,
  about: About,
  log: Log,
): { readonly status: number; readonly text: string } {
  const status = statusOf(error);
  if (status !== UNFORESEEN) return { status, text: (error as Error).message };
  log.error(`${doing} failed`, about, { error });
  return {
    status,
    text: `${doing} failed for a reason that the log of the server has; try again, and if that fails too, look there`,
  };
}

function statusOf(error: unknown): number {
  if (error instanceof ApiError) return error.code;
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : UNFORESEEN;
}
