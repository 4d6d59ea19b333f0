import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';

/** Prints where the kubeconfig of a home is. */
export function kubeconfig({ home }: { home: string }): void {
  const file = join(home, 'kubeconfig');
  if (!existsSync(file)) {
    throw new Failure(`no kubeconfig in ${home}`, 'The first `vireo up` on this home writes it.');
  }
  console.log(file);
}
