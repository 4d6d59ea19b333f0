import { shellWord } from '../readyText.ts';
import type { Changes } from './adapt.ts';
import type { About } from './format.ts';
import type { Journal } from './journal.ts';

/** A restore that has succeeded. */
export interface Restored {
  readonly about: About;
  readonly home: string;
  /** Whether it is the home, on the host, that the backup was made of. */
  readonly isOwn: boolean;
  /** Whether it takes the place of the original. */
  readonly takeOver: boolean;
  /** The nodes that the backup knows. */
  readonly nodes: readonly string[];
  readonly startVms: boolean;
  readonly changes: Changes;
  readonly journal: Journal;
}

/** What a restore has done, and what it has not. */
export function restoredText(restored: Restored): string {
  const { about, home, isOwn, takeOver, nodes, startVms, changes, journal } = restored;
  const [host] = about.host.split(' ');
  return [
    `Restored ${home} from a backup of ${about.home} on ${host}, made at ${about.createdAt}.`,
    ...(journal.old.length > 0
      ? [`What was there is in ${home}/${journal.replaced}: delete it when you no longer need it.`]
      : []),
    ...(isOwn || takeOver ? [] : movedText(home, startVms, changes)),
    ...nodesText({ isOwn, takeOver, nodes }),
    `To start the server: vireo up --home ${shellWord(home)}`,
  ].join('\n');
}

function nodesText({ isOwn, takeOver, nodes }: Pick<Restored, 'isOwn' | 'takeOver' | 'nodes'>): string[] {
  const others = `The backup has the nodes ${nodes.join(', ')}.`;
  if (takeOver || (isOwn && nodes.length > 1))
    return [
      `${others} Their guests go on. On each of their hosts, name the address of this server: vireo join HOST:PORT`,
      'No VM starts until you have looked at guests that are newer than the backup, and confirm it: vireo orphans',
    ];
  return nodes.length > 1 && !isOwn
    ? [`${others} To have them connect to this server, because the original is gone, restore with --take-over.`]
    : [];
}

function movedText(home: string, startVms: boolean, changes: Changes): string[] {
  const { haltedVms, pausedSets, leftOutVmis, movedVolumes } = changes;
  const halted = [count(haltedVms, 'VM'), count(pausedSets, 'replica set')].filter((text) => text !== '');
  return [
    ...(movedVolumes > 0
      ? [
          `${count(movedVolumes, 'volume')} now ${movedVolumes === 1 ? 'points' : 'point'} below ${home}/volumes. The backup does not have the data.`,
        ]
      : []),
    ...(leftOutVmis > 0
      ? [`No guest runs in this home: ${count(leftOutVmis, 'VMI')} and the pods of VMIs are left out.`]
      : []),
    ...(startVms
      ? [
          'VMs start with the server. Make sure that they do not run anywhere else: two guests of one VM would have the same network addresses.',
        ]
      : []),
    ...(halted.length > 0
      ? [
          `Halted here, because their guests may still run in the original and their disks are not in the backup: ` +
            `${halted.join(', ')}. To start a VM: vireo start NAME. To restore without this: --start-vms`,
        ]
      : []),
  ];
}

const count = (number: number, what: string): string =>
  number === 0 ? '' : `${number} ${what}${number === 1 ? '' : 's'}`;
