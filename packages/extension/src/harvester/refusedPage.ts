/** Where users read what of Harvester's API is refused, and why. */
export const REFUSED_PAGE = 'docs/harvester.md#refused';
