/** Bodies and answers of the subresources that share directories of a node with a guest. They are Vireo's own. */
import { boolean, type Infer, list, string, struct } from '../../schema.ts';
import { optional, required } from '../customResource.ts';

export const MountOptions = struct(
  'io.vireo.v1.MountOptions',
  'Options of the mount subresource: a directory of the node to share with the guest while it runs.',
  {
    dryRun: optional(list(string, 'atomic'), 'All, to check and change nothing.'),
    name: optional(
      string,
      'Name that the guest mounts it by, at most 36 bytes. Defaults to the name of the directory.',
    ),
    path: required(string, 'Absolute path of the directory on the node.'),
    readOnly: optional(boolean, 'Whether the guest can only read it.'),
  },
);
export interface MountOptions extends Infer<typeof MountOptions> {}

export const UnmountOptions = struct(
  'io.vireo.v1.UnmountOptions',
  'Options of the unmount subresource: a shared directory to take away from the guest.',
  {
    dryRun: optional(list(string, 'atomic'), 'All, to check and change nothing.'),
    name: required(string, 'Name that the guest mounts it by.'),
  },
);
export interface UnmountOptions extends Infer<typeof UnmountOptions> {}

export const Mount = struct('io.vireo.v1.Mount', 'A directory of the node that is shared with a guest.', {
  name: required(string, 'Name that the guest mounts it by.'),
  path: required(string, 'Absolute path of the directory on the node.'),
  readOnly: required(boolean, 'Whether the guest can only read it.'),
});
export interface Mount extends Infer<typeof Mount> {}

export const MountList = struct(
  'io.vireo.v1.MountList',
  'Response of the mounts subresource: directories of the node that are shared with a guest.',
  {
    apiVersion: optional(string, 'Group and version of the object.'),
    items: required(list(Mount, 'atomic'), 'Shared directories.'),
    kind: optional(string, 'Kind of the object.'),
  },
);
export interface MountList extends Infer<typeof MountList> {}

/** What the device has room for: the guest mounts a filesystem by its name. */
export const MAX_TAG_BYTES = 36;

/** Annotation of a VMI whose memory can be shared from the start, so that directories can be mounted later. */
export const SHARED_MEMORY_ANNOTATION = 'vireo.io/shared-memory';
