/** The name of the VM with that index. */
export const vmName = (pool: string, index: number): string => `${pool}-${index}`;

/** The number after the last dash of a VM's name; undefined where there is none: somebody gave the VM to the pool. */
export function indexOf(name: string): number | undefined {
  const digits = /-(0|[1-9]\d{0,8})$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Whether a VM can have an index. `clearing`: it had a VM whose disks are still being deleted, and a new VM would get
 * them; it can have one when they are gone. `foreign`: there are disks of its names that the pool has not kept.
 */
export type IndexState = 'free' | 'taken' | 'foreign' | 'clearing';

/**
 * The lowest indices that can be used now, at most as many as are wanted; one that is being cleared is waited for.
 * `foreign`: those that would have been used if it were not for the disks of others.
 */
export function nextIndices(
  count: number,
  stateOf: (index: number) => IndexState,
): { readonly indices: readonly number[]; readonly isWaiting: boolean; readonly foreign: readonly number[] } {
  const indices: number[] = [];
  const foreign: number[] = [];
  let clearing = 0;
  for (let index = 0; indices.length + clearing < count; index++) {
    const state = stateOf(index);
    if (state === 'free') indices.push(index);
    else if (state === 'foreign') foreign.push(index);
    else if (state === 'clearing') clearing += 1;
  }
  return { indices, isWaiting: clearing > 0, foreign };
}
