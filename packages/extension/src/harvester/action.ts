import { HARVESTER_SUBRESOURCE_GROUP } from '@vireo/api/kinds/harvester/names.ts';
import type { Action, ActionResource } from '../actions/action.ts';

/** What an entry says itself. Whether it is shown as possible is part of it here: Harvester's clients draw buttons by it. */
type Entry<R extends ActionResource, B> = Omit<Action<R, B>, 'group' | 'resource' | 'offered'> &
  Required<Pick<Action<R, B>, 'offered'>>;

/**
 * An action of Harvester's on one resource: a subresource, and `?action=` in the Steve API.
 *
 * @example
 * export const cordon = harvesterAction('nodes')<unknown>({ name: 'cordon', method: 'PUT', granted: 'nodes', … });
 */
export const harvesterAction =
  <R extends ActionResource>(resource: R) =>
  <B = unknown>(entry: Entry<R, B>): Action<R, B> => ({ group: HARVESTER_SUBRESOURCE_GROUP, resource, ...entry });
