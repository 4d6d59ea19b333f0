import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cached = (path: string): string | undefined => {
  const found = fileURLToPath(new URL(`../.cache/${path}`, import.meta.url));
  return existsSync(found) ? found : undefined;
};

/** `npm test` fetches these on Debian; Vitest run by hand takes what it left. */
export const oldKubectl = process.env.VIREO_OLD_KUBECTL ?? cached('kubectl-1.20/usr/bin/kubectl');
export const pythonPath = process.env.VIREO_PYTHONPATH ?? cached('python-kubernetes/usr/lib/python3/dist-packages');

/** Why they are not there. */
export const missing = process.env.VIREO_NO_CLIENTS ?? '`npm test` has not fetched this client yet';
