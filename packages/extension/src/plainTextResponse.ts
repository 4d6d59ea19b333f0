import { ApiError } from '@vireo/api';
import type { About, Log } from '@vireo/kube';

const INTERNAL_SERVER_ERROR = 500;

/**
 * The response to an error for clients that send or fetch data, in plain text. What nobody foresaw is for the log alone: it
 * may name files of the host.
 */
export function plainTextResponse(
  error: unknown,
  doing: string,
  about: About,
  log: Log,
): { readonly status: number; readonly text: string } {
  const status = statusOf(error);
  if (status !== INTERNAL_SERVER_ERROR) return { status, text: (error as Error).message };
  log.error(`${doing} failed`, about, { error });
  return {
    status,
    text: `${doing} failed; try again, and if it fails again, see the server's log`,
  };
}

function statusOf(error: unknown): number {
  if (error instanceof ApiError) return error.code;
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : INTERNAL_SERVER_ERROR;
}
