import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dnsLabel } from '@vireo/api/names.ts';
import { writeAtomically } from '@vireo/kube/files.ts';
import { instanceName } from '../roles/instanceName.ts';

/** The name of an instance, and where what it keeps is. */
export interface KeptName {
  readonly name: string;
  readonly directory: string;
  /** Removes what no later instance uses. */
  forget(): Promise<void>;
}

/** Of instances whose names nobody uses again, by the id of the process. */
const OF_PROCESS = /^process-(\d+)$/;

/**
 * The name of the instance that listens on a port: as `given`, else the same as at its last start, so that it has a
 * certificate already and leaves nothing behind. Where the port is any (0), the name is new, and what is kept under it
 * is removed when the process ends, or by the next one of its kind if it was killed.
 */
export async function keptName(home: string, port: number, given?: string): Promise<KeptName> {
  const parent = join(home, 'extension');
  const forget = async (): Promise<void> => {};
  if (given !== undefined) return { name: given, directory: join(parent, given), forget };
  if (port === 0) {
    await removeOfDead(parent);
    const directory = join(parent, `process-${process.pid}`);
    return { name: instanceName(), directory, forget: () => rm(directory, { recursive: true, force: true }) };
  }
  const directory = join(parent, `port-${port}`);
  const file = join(directory, 'name');
  const last = await readFile(file, 'utf8').catch(() => '');
  if (dnsLabel(last.trim()).length === 0) return { name: last.trim(), directory, forget };
  const first = instanceName();
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeAtomically(file, `${first}\n`, 0o600);
  return { name: first, directory, forget };
}

async function removeOfDead(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = OF_PROCESS.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
