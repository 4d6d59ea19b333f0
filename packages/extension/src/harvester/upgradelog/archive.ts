import { timestamp } from '@vireo/api';
import type { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';

type UpgradeLogArchives = NonNullable<NonNullable<UpgradeLog['status']>['archives']>;

/** How many archives of a log are kept; older ones go when another is made. */
const MOST = 5;

/** What an archive that is made now is called, as Harvester does: a time without colons. */
export const archiveName = ({ metadata }: UpgradeLog, now: Date): string =>
  `${metadata.name}-archive-${timestamp(now).replaceAll(':', '-')}`;

/** The newest archive that can be downloaded. */
export const newestArchive = ({ status }: UpgradeLog): string | undefined =>
  byAge(status?.archives ?? {}).findLast(([, { ready }]) => ready)?.[0];

/** The archives that make room for one more. */
export const surplusArchives = ({ status }: UpgradeLog): string[] =>
  byAge(status?.archives ?? {})
    .slice(0, -(MOST - 1))
    .map(([name]) => name);

const byAge = (archives: UpgradeLogArchives) =>
  Object.entries(archives).sort(([, a], [, b]) => ((a.generatedTime ?? '') < (b.generatedTime ?? '') ? -1 : 1));
