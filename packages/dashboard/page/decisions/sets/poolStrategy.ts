import type { PoolSpec } from '../../data/setKinds.ts';
import { isLeaving, type Member } from './members.ts';
import type { Candidate } from './scaleDown.ts';

/** How a pool treats its VMs. */
export interface PoolStrategy {
  /** Sentences for people. */
  readonly texts: readonly string[];
  /** Who goes first when the pool shrinks; undefined if the pool deletes none, or chooses among some only. */
  readonly goesFirst: string | undefined;
}

/** How each order is told, and why its first VM goes. */
const ORDERS: Readonly<Record<string, readonly [text: string, reason: string]>> = {
  AscendingOrder: ['the lowest number first', 'it has the lowest number'],
  DescendingOrder: ['the highest number first', 'it has the highest number'],
  Newest: ['the newest first', 'it is the newest'],
  Oldest: ['the oldest first', 'it is the oldest'],
  Random: ['any of them', 'the pool chooses any of them'],
};

export function poolStrategy({ scaleInStrategy, updateStrategy, maxUnavailable, autohealing }: PoolSpec): PoolStrategy {
  const { proactive, opportunistic, unmanaged } = scaleInStrategy ?? {};
  const policy = proactive?.selectionPolicy;
  const sort = policy?.sortPolicy ?? 'Random';
  const [order = sort] = ORDERS[sort] ?? [];
  const kept = proactive?.statePreservation ?? opportunistic?.statePreservation ?? 'Disabled';
  const disks = kept === 'Disabled' ? 'Their disks go with them.' : 'Their disks stay for the next VM of that number.';
  const among = policy?.selectors ? ' of those that its selectors match' : '';
  const scaleIn = unmanaged
    ? 'Scaled in, it deletes no VM: others do.'
    : opportunistic
      ? `Scaled in, it waits until others delete VMs. ${disks}`
      : `Scaled in, it deletes ${order}${among}. ${disks}`;
  return {
    texts: [scaleIn, updateText(updateStrategy, maxUnavailable), ...healingText(autohealing)],
    goesFirst: unmanaged || opportunistic || policy?.selectors ? undefined : sort,
  };
}

function updateText(strategy: PoolSpec['updateStrategy'], maxUnavailable: PoolSpec['maxUnavailable']): string {
  if (strategy?.unmanaged) return 'A changed template is for new VMs only.';
  if (strategy?.opportunistic) return 'A changed template reaches guests at their next start.';
  return `A changed template restarts running VMs, ${maxUnavailable === undefined ? 'all at once' : `at most ${maxUnavailable} at a time`}.`;
}

const healingText = (autohealing: PoolSpec['autohealing']): string[] =>
  autohealing ? [`A VM that fails to start ${autohealing.startUpFailureThreshold ?? 3} times is replaced.`] : [];

/** The VM that goes first if the pool shrinks, as far as its order says. */
export function nextOfPool(members: readonly Member[], goesFirst: string | undefined): Candidate | undefined {
  const reason = goesFirst === undefined ? undefined : ORDERS[goesFirst]?.[1];
  const [first, ...rest] = members.filter((member) => !isLeaving(member));
  if (!first || reason === undefined || goesFirst === 'Random') return undefined;
  const before = (a: Member, b: Member): boolean => {
    const ages = compare(a.createdAt ?? '', b.createdAt ?? '') || numberOf(a) - numberOf(b);
    switch (goesFirst) {
      case 'AscendingOrder':
        return numberOf(a) < numberOf(b);
      case 'DescendingOrder':
        return numberOf(a) > numberOf(b);
      case 'Oldest':
        return ages < 0;
      default:
        return ages > 0;
    }
  };
  return { member: rest.reduce((found, each) => (before(each, found) ? each : found), first), reason };
}

const numberOf = ({ name }: Member): number => Number(/-(\d+)$/.exec(name)?.[1] ?? 0);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** VMs that a pool has made and that have left it: a label that its selector needs was changed. */
export const detachedFrom = (pool: string, vms: readonly Member[]): Member[] =>
  vms.filter(({ ownerUid, madeBy }) => ownerUid === undefined && madeBy === pool);
