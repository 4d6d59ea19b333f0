import type { Action, ActionResource, MinimumRole, Targets } from '../actions/action.ts';
import { notImplemented } from '../actions/refusals.ts';
import { harvesterAction } from './action.ts';

type Row = readonly [name: string, method: Action['method'], why: string];

const OF_VMS: readonly Row[] = [
  ['backup', 'PUT', 'Vireo has no backup targets; the action snapshot keeps a copy of the disks on this host'],
];

const rows = (resource: ActionResource, minimumRole: MinimumRole, list: readonly Row[]): Action[] =>
  list.map(([name, method, why]) => {
    const action: Action = harvesterAction(resource)({
      name,
      method,
      minimumRole,
      summary: `Not implemented: ${why}.`,
      isNotImplemented: true,
      isListed: () => false,
      decide: (target) => {
        throw notImplemented(action, nameOf(target), why);
      },
    });
    return action;
  });

const nameOf = (target: Targets[ActionResource]): string =>
  ('object' in target ? target.object : (target.vm ?? target.vmi))?.metadata.name ?? '';

/** What Harvester offers and Vireo does not do yet: known by name, so that the refusal can say so. */
export const NOT_IMPLEMENTED: readonly Action[] = [...rows('virtualmachines', 'edit', OF_VMS)];
