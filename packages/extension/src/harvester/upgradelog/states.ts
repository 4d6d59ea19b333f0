import { ApiError, conflict, type Persisted } from '@vireo/api';
import { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import type { Support } from '../../support/index.ts';
import { REFUSED_PAGE } from '../refusedPage.ts';

export const logConflict = ({ metadata }: Persisted<UpgradeLog>, why: string): ApiError =>
  conflict({ group: UpgradeLog.group, resource: UpgradeLog.plural }, metadata.name, why);

/** Where archives are kept. Not every server has a place for them. */
export function supportOf(support: Support | undefined, { metadata: { name } }: Persisted<UpgradeLog>): Support {
  if (support) return support;
  const details = { name, group: UpgradeLog.group, kind: UpgradeLog.plural };
  throw new ApiError(undefined, `this server does not store archives (${REFUSED_PAGE})`, details, 501);
}
