import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** This host: its name and, where the system has one, its machine id, which copies of a host have of their own. */
export function hostIdentity(): string {
  return [hostname(), machineId()].filter((part) => part !== '').join(' ');
}

function machineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim();
  } catch {
    return '';
  }
}
