import { existsSync, readFileSync } from 'node:fs';

/** What this machine says it is, from /etc/os-release. */
export function readOsRelease() {
  if (!existsSync('/etc/os-release')) return {};
  const pairs = readFileSync('/etc/os-release', 'utf8').matchAll(/^([A-Z_]+)="?([^"\n]*)"?$/gm);
  return Object.fromEntries([...pairs].map(([, name, value]) => [name, value]));
}
