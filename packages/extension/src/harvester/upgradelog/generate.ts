import { isConditionTrue, type Persisted, timestamp } from '@vireo/api';
import { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import { string } from '@vireo/api/schema.ts';
import { type ApiResponse, objectResponse } from '@vireo/kube';
import type { ActContext, Action } from '../../actions/action.ts';
import { type ArchiveFile, clusterFiles, SUPPORT_KINDS, type Support } from '../../support/index.ts';
import { harvesterAction } from '../action.ts';
import { archiveName, surplusArchives } from './archive.ts';
import { logConflict, supportOf } from './states.ts';

export const generate = harvesterAction('upgradelogs')({
  name: 'generate',
  method: 'PUT',
  minimumRole: 'nodes',
  summary: 'Collects logs and objects, without Secrets, into an archive and returns its name.',
  response: { status: 200, schema: string },
  refuses: [501],
  needs: [
    ...listingRules(),
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
    { apiGroups: ['harvesterhci.io'], resources: ['upgradelogs'], verbs: ['watch'] },
    { apiGroups: ['harvesterhci.io'], resources: ['upgradelogs/status'], verbs: ['patch'] },
  ],
  isListed: ({ object }) => isConditionTrue(object, 'Started'),
  async act({ object }, _input, context) {
    if (!isConditionTrue(object, 'Started')) throw logConflict(object, 'log collection has not started yet');
    return collect(object, context);
  },
});

async function collect(log: Persisted<UpgradeLog>, context: ActContext): Promise<ApiResponse> {
  const support = supportOf(context.support, log);
  const now = new Date();
  const wanted = archiveName(log, now);
  if (context.dryRun) return objectResponse(wanted);
  const { name: logName, namespace = '' } = log.metadata;
  const { name, sizeBytes } = await support.archives.write(namespace, wanted, filesOf(context.client, support));
  const surplus = surplusArchives(log);
  const archives = {
    ...Object.fromEntries(surplus.map((old) => [old, null])),
    [name]: { size: sizeBytes, generatedTime: timestamp(now), ready: true },
  };
  await context.client.of(UpgradeLog).patchStatus(logName, { status: { archives } }, { namespace, type: 'merge' });
  await support.archives.remove(namespace, surplus);
  return objectResponse(name);
}

/** Everything, and at the end what could not be had. */
async function* filesOf(client: ActContext['client'], { hostFiles }: Support): AsyncGenerator<ArchiveFile> {
  const problems: string[] = [];
  const tell = (what: string): void => void problems.push(what);
  yield* clusterFiles(client, SUPPORT_KINDS, tell);
  if (hostFiles) yield* hostFiles(tell);
  if (problems.length > 0) yield { name: 'problems.txt', data: Buffer.from(`${problems.join('\n')}\n`) };
}

function listingRules(): NonNullable<Action['needs']> {
  const groups = Map.groupBy(SUPPORT_KINDS, ({ group }) => group);
  return [...groups].map(([group, kinds]) => ({
    apiGroups: [group],
    resources: kinds.map(({ plural }) => plural),
    verbs: ['list'],
  }));
}
