import { readFile } from 'node:fs/promises';

/** A process and all that it has started. */
export async function withDescendants(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const below = await Promise.all(children.split(' ').filter(Boolean).map(Number).map(withDescendants));
  return [pid, ...below.flat()];
}
