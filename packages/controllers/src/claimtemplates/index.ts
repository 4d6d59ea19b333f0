import { isReason, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import { enqueueKey, keyOf, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { isDeleting, Vm } from '../kinds.ts';
import { isNamespaceEnding } from '../namespaceEnding.ts';
import { BadTemplates, claimTemplates } from './templates.ts';

const REASON = 'FailedVolumeClaimTemplates';

/** Makes the claims that machines list in an annotation, as Harvester does. They stay when the machine goes. */
export async function startClaimTemplateController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, metrics, clock = systemClock } = context;
  const vms = informers.for(Vm);
  const claims = informers.for(PersistentVolumeClaim);
  const classes = informers.for(StorageClass);
  const queue = new WorkQueue({ clock });
  vms.on(enqueueKey(queue));
  /** What each machine was last told, by uid: said again only when it changes. */
  const told = new Map<string, string>();
  vms.on({ deleted: ({ metadata }) => void told.delete(metadata.uid) });

  const reconcile = async (key: string): Promise<void> => {
    const vm = vms.get(key);
    if (!vm?.metadata.annotations?.[VOLUME_CLAIM_TEMPLATES] || isDeleting(vm)) return;
    try {
      for (const draft of claimTemplates(vm, classes.list()))
        if (!claims.get(keyOf(draft))) await client.of(PersistentVolumeClaim).create(draft).catch(unlessThere);
    } catch (error) {
      if (isNamespaceEnding(error)) return;
      if (!(error instanceof BadTemplates || isReason(error, 'Invalid', 'Forbidden', 'BadRequest'))) throw error;
      const { message } = error as Error;
      const { uid } = vm.metadata;
      if (told.get(uid) !== message) recorder.event(vm, 'Warning', REASON, message);
      told.set(uid, message);
    }
  };

  await runController(
    { name: 'claimtemplates', queue, informers: [vms, claims, classes], log, metrics, reconcile },
    signal,
  );
}

function unlessThere(error: unknown): void {
  if (!isReason(error, 'AlreadyExists')) throw error;
}
