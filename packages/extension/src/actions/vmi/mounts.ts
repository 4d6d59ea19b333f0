import { posix } from 'node:path';
import { badRequest } from '@vireo/api';
import { MAX_TAG_BYTES, MountList, MountOptions, UnmountOptions } from '@vireo/api/kinds/kubevirt/mounts.ts';
import { isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { vmiAction } from '../action.ts';
import { vmiConflict } from '../refusals.ts';

/** A directory of the node is like a disk on the node: no user of a namespace may have one, unless the cluster says so. */
const minimumRole = 'none';
const gate = 'HostDisk';

export const mount = vmiAction<MountOptions>({
  name: 'mount',
  method: 'PUT',
  minimumRole,
  gate,
  summary: 'Shares a directory of the node with the guest, through virtiofs, until the guest stops.',
  body: MountOptions,
  response: { status: 200 },
  decide({ vmi }, { body }) {
    const { path = '', readOnly = false } = body;
    if (!path.startsWith('/') || path.includes('\0'))
      throw badRequest(`path ${JSON.stringify(path)} is not an absolute path of the node`);
    const name = body.name ?? posix.basename(posix.normalize(path));
    requireName(name);
    requireRunning(vmi);
    return { type: 'call', path: 'mount', body: { path: posix.normalize(path), name, readOnly } };
  },
});

export const unmount = vmiAction<UnmountOptions>({
  name: 'unmount',
  method: 'PUT',
  minimumRole,
  gate,
  summary: 'Takes a directory away from the guest that `mount` has shared.',
  body: UnmountOptions,
  response: { status: 200 },
  decide({ vmi }, { body: { name = '' } }) {
    requireName(name);
    requireRunning(vmi);
    return { type: 'call', path: 'unmount', body: { name } };
  },
});

export const mounts = vmiAction<unknown>({
  name: 'mounts',
  method: 'GET',
  minimumRole,
  gate,
  summary: 'Lists the directories of the node that `mount` has shared with the guest.',
  response: { status: 200, schema: MountList },
  decide({ vmi }) {
    requireRunning(vmi);
    return { type: 'call', path: 'mounts' };
  },
});

function requireName(name: string): void {
  if (!/^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$/.test(name) || name.length > MAX_TAG_BYTES)
    throw badRequest(
      `name ${JSON.stringify(name)} is not valid: at most ${MAX_TAG_BYTES} letters, digits, '-', '_' or '.', ` +
        'starting and ending with a letter or digit',
    );
}

function requireRunning(vmi: Vmi): void {
  if (!isRunning(vmi)) throw vmiConflict(vmi, 'VMI is not running');
}
