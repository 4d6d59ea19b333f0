import type { PersistentVolumeClaim } from '../core/persistentVolumeClaim.ts';
import { CLONE_REQUEST, IMPORT_SOURCE, POD_PHASE, POPULATED_FOR, SNAPSHOT_REQUEST, UPLOAD_TARGET } from './names.ts';

const REQUESTS = [IMPORT_SOURCE, UPLOAD_TARGET, CLONE_REQUEST, SNAPSHOT_REQUEST];

/** Whether somebody asked for data on the claim, and it is not all there. */
export function waitsForData({ metadata }: PersistentVolumeClaim): boolean {
  const { annotations = {} } = metadata;
  if (annotations[POPULATED_FOR] !== undefined || annotations[POD_PHASE] === 'Succeeded') return false;
  return REQUESTS.some((request) => annotations[request] !== undefined);
}
