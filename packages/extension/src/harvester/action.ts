import { HARVESTER_SUBRESOURCE_GROUP } from '@vireo/api/kinds/harvester/names.ts';
import { type ActionResource, type DefineAction, defineActions } from '../actions/action.ts';

/**
 * An action of Harvester's on one resource: a subresource, and `?action=` in the Steve API. Its entry says in
 * `isListed` when it is offered: Harvester's clients draw buttons by it.
 *
 * @example
 * export const cordon = harvesterAction('nodes')({ name: 'cordon', method: 'PUT', minimumRole: 'nodes', … });
 */
export const harvesterAction = <R extends ActionResource>(resource: R): DefineAction<R, 'isListed'> =>
  defineActions(HARVESTER_SUBRESOURCE_GROUP, resource);
