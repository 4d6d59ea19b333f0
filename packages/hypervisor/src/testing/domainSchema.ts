import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const SCHEMA = '/usr/share/libvirt/schemas/domain.rng';

/** What libvirt's own schema says against a domain; nothing for a good one. */
export function domainSchemaErrors(xml: string): string {
  if (!existsSync(SCHEMA)) throw new Error(`${SCHEMA} is missing: install Debian's package libvirt0`);
  const { error, status, stderr } = spawnSync('xmllint', ['--noout', '--relaxng', SCHEMA, '-'], {
    input: xml,
    encoding: 'utf8',
  });
  if (error) throw new Error(`xmllint cannot be run: install Debian's package libxml2-utils (${error.message})`);
  return status === 0 ? '' : stderr;
}
