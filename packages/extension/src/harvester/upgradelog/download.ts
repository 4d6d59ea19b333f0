import { notFound } from '@vireo/api';
import { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import { downloadResponse } from '@vireo/kube';
import { BINARY } from '../../actions/responses.ts';
import { harvesterAction } from '../action.ts';
import { newestArchive } from './archive.ts';
import { logConflict, supportOf } from './states.ts';

export const download = harvesterAction('upgradelogs')({
  name: 'download',
  method: 'GET',
  minimumRole: 'nodes',
  summary: 'Downloads an archive: the one that the query parameter `archiveName` names, or the newest.',
  response: { status: 200, schema: BINARY, contentType: 'application/zip' },
  refuses: [501],
  isLink: true,
  isListed: () => true,
  async act({ object }, { query }, { support, dryRun }) {
    const newest = newestArchive(object);
    if (newest === undefined) throw logConflict(object, 'it has no archive yet; call generate first');
    const name = query.get('archiveName') ?? newest;
    if (!Object.hasOwn(object.status?.archives ?? {}, name)) throw absent(name);
    const { archives } = supportOf(support, object);
    const data = await archives.read(object.metadata.namespace ?? '', name);
    if (!data) throw absent(name);
    if (!dryRun) return downloadResponse(data, { filename: `${name}.zip`, contentType: 'application/zip' });
    data.destroy();
    return undefined;
  },
});

const absent = (name: string) => notFound({ group: UpgradeLog.group, resource: 'archives' }, name);
