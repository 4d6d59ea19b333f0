import { isFinalMigration, type Migration } from '@vireo/api/kinds/kubevirt/migration.ts';

/** How many migrations of a VMI that have ended are kept. */
const KEPT = 5;

/** Those of a VMI that are not kept: all that have ended but for the newest. */
export const surplusMigrations = (ofVmi: readonly Migration[]): Migration[] =>
  ofVmi
    .filter(isFinalMigration)
    .sort((a, b) => compare(b, a))
    .slice(KEPT);

const compare = ({ metadata: a }: Migration, { metadata: b }: Migration): number =>
  a.creationTimestamp < b.creationTimestamp
    ? -1
    : a.creationTimestamp > b.creationTimestamp
      ? 1
      : a.name < b.name
        ? -1
        : 1;
