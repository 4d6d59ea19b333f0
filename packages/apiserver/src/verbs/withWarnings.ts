import { ApiError } from '@vireo/api';

/** Does something of which there is a warning, or will be: a refusal carries the warnings, as a success does. */
export async function withWarnings<T>(warnings: readonly string[], act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ApiError) error.warnings = [...new Set([...warnings, ...error.warnings])];
    throw error;
  }
}
