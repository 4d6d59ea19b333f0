import { fileURLToPath } from 'node:url';

/** The project's root directory, wherever it was cloned and whatever the working directory is. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Files that can be fetched again at any time; ignored by git. */
export const cacheDirectory = `${root}/.cache`;
