import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { NodeContext } from '../context.ts';
import { objectReaders } from '../disks/objectReaders.ts';
import { joinGuest } from '../limits/applyLimits.ts';
import type { LocalVmi } from '../vmi/localVmi.ts';
import type { DaemonSite } from './daemons.ts';
import { shareIds } from './owner.ts';
import type { ShareContext } from './shares.ts';

/** What the directories of a VMI are made from. */
export const shareContext = async (
  vmi: Vmi,
  { files, pod, user }: Pick<LocalVmi, 'files' | 'pod' | 'user'>,
  { kubelet, volumes, layout }: NodeContext,
): Promise<ShareContext> => ({
  ...objectReaders(kubelet, vmi, pod),
  directory: files.directory,
  volumesDirectory: layout.volumes,
  volumes,
  ids: layout.isRoot ? await shareIds(user) : undefined,
});

/** Where what serves those directories is noted, and where its sockets are. */
export const daemonSite = (
  local: Pick<LocalVmi, 'key' | 'uid' | 'vmi' | 'files' | 'user'>,
  context: Pick<NodeContext, 'enqueue' | 'groups' | 'log'>,
): DaemonSite => ({
  directory: local.files.directory,
  sockets: local.files.sockets,
  user: local.user,
  onStart: joinGuest(local, context),
  onExit: () => context.enqueue(local.key),
});
