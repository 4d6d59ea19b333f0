import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dnsLabel } from '@vireo/api/names.ts';
import { writeAtomically } from '@vireo/apiserver/auth/files.ts';
import { instanceName } from '../roles/instanceName.ts';

/** The name of an instance, and where what it keeps is. */
export interface KeptName {
  readonly name: string;
  readonly directory: string;
}

/**
 * The name of the instance that listens on a port: as `given`, else the same as at its last start, so that it has a
 * certificate already and leaves nothing behind. Where the port is any (0), the name is new.
 */
export async function keptName(home: string, port: number, given?: string): Promise<KeptName> {
  const parent = join(home, 'extension');
  const name = given ?? (port === 0 ? instanceName() : undefined);
  if (name !== undefined) return { name, directory: join(parent, name) };
  const directory = join(parent, `port-${port}`);
  const file = join(directory, 'name');
  const last = await readFile(file, 'utf8').catch(() => '');
  if (dnsLabel(last.trim()).length === 0) return { name: last.trim(), directory };
  const first = instanceName();
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeAtomically(file, `${first}\n`, 0o600);
  return { name: first, directory };
}
