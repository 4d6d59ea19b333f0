import { resolve } from 'node:path';
import { Option } from 'commander';

/** `--kubeconfig` of the roles. */
export const roleKubeconfigOption = (): Option =>
  new Option(
    '--kubeconfig <file>',
    'kubeconfig of the API server (default: $KUBECONFIG, then the service account of the pod, then the home’s)',
  ).argParser((path: string) => resolve(path));
