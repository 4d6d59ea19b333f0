import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Node } from '@vireo/api';
import type { Client } from '@vireo/kube';
import { exists } from '../exists.ts';
import { replaceFile } from '../replaceFile.ts';

const fileOf = (home: string): string => join(home, 'machine-id');

/**
 * The machine IDs under which a home has reported before: a container that is made anew, or a host without an ID of its
 * own, has another one afterwards. A home of a version that did not record it takes that of its Node. `known`: the file by
 * which a home is known to have been a node before.
 */
export async function formerMachineIds(
  home: string,
  name: string,
  { kubelet, known }: { readonly kubelet: Client; readonly known: string },
): Promise<string[]> {
  const recorded = (await readFile(fileOf(home), 'utf8').catch(() => '')).trim();
  if (recorded) return [recorded];
  if (!(await exists(known))) return [];
  const node = await kubelet.of(Node).find(name);
  return node?.status?.nodeInfo?.machineID ? [node.status.nodeInfo.machineID] : [];
}

/** Remembers the machine ID under which a home reports. */
export const recordMachineId = (home: string, machineId: string): Promise<void> =>
  replaceFile(fileOf(home), `${machineId}\n`);
