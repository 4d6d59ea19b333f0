import type { UnknownObject } from '@vireo/api';
import { FREE_STORAGE } from '@vireo/api/kinds/core/volumeNames.ts';
import { RESTORED_ANNOTATION, restoredText } from '@vireo/api/kinds/kubevirt/restored.ts';
import type { Adapt, BackedUpObject } from '@vireo/apiserver/store/backup.ts';

const NODES = 'core/nodes/';
const SETTINGS = 'kubevirt.io/kubevirts/';

const parsed = (value: Uint8Array): UnknownObject => JSON.parse(Buffer.from(value).toString()) as UnknownObject;

/** The names of the nodes in a backup that keep guests of their own. Simulated ones keep nothing. */
export function nodesIn(objects: Iterable<BackedUpObject>): string[] {
  const names: string[] = [];
  for (const { key, value } of objects) {
    if (!key.startsWith(NODES)) continue;
    const { metadata } = parsed(value);
    if (metadata.annotations?.[FREE_STORAGE] !== undefined) names.push(metadata.name ?? '');
  }
  return names.sort();
}

/**
 * How objects become those of a server whose nodes went on without it: all stay as they were, and the nodes are told that
 * what they know may be newer. Until an administrator confirms it, no VM is started.
 */
export function markRestored(backupAt: string, restoredAt: string): Adapt {
  return (key, value) => {
    if (!key.startsWith(SETTINGS)) return 'same';
    const object = parsed(value);
    const annotations = { ...object.metadata.annotations, [RESTORED_ANNOTATION]: restoredText(backupAt, restoredAt) };
    return { ...object, metadata: { ...object.metadata, annotations } };
  };
}
