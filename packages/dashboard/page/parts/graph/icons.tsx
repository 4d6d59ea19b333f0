import type { ReactNode } from 'react';

/** Line drawings of 16 by 16, by kind; a kind without one of its own gets a box. */
const SHAPES: Readonly<Record<string, ReactNode>> = {
  VirtualMachine: <path d="M2 3h12v8H2zM5.5 13.5h5M8 11v2.5" />,
  VirtualMachineInstance: <path d="M2 3h12v8H2zM5.5 13.5h5M8 11v2.5M7 5.2v3.6L10 7z" />,
  Pod: <path d="M8 1.5 14 5v6l-6 3.5L2 11V5zM2 5l6 3.5L14 5M8 8.5v6" />,
  Secret: <path d="M10.5 2a3.5 3.5 0 1 1-2.6 5.8L2.5 13.2V14H5v-2h2v-2M11 5.2h.1" />,
  ConfigMap: <path d="M3.5 1.5h6L13 5v9.5H3.5zM9.5 1.5V5H13M5.8 8h5M5.8 11h5" />,
  ServiceAccount: <path d="M8 2a2.8 2.8 0 1 1 0 5.6A2.8 2.8 0 0 1 8 2zM2.5 14c0-3 2.4-4.6 5.5-4.6s5.5 1.6 5.5 4.6z" />,
  NetworkAttachmentDefinition: <path d="M8 5.5V9M3.5 11V9h9v2M6 2h4v3.5H6zM2 11h3v3H2zM11 11h3v3h-3z" />,
  StorageClass: <path d="M2 3h12v4H2zM2 9h12v4H2zM4.5 5h.1M4.5 11h.1" />,
  ControllerRevision: <path d="M8 2.2a5.8 5.8 0 1 1-5.4 3.7M2.2 2.5v3.6h3.6M8 5v3.2l2.2 1.6" />,
};
const DISK = (
  <path d="M2.5 4c0-1.2 2.4-2 5.5-2s5.5.8 5.5 2v8c0 1.2-2.4 2-5.5 2s-5.5-.8-5.5-2zM2.5 4c0 1.2 2.4 2 5.5 2s5.5-.8 5.5-2M2.5 8c0 1.2 2.4 2 5.5 2s5.5-.8 5.5-2" />
);
const SNAPSHOT = <path d="M2 4.5h3L6.2 3h3.6L11 4.5h3V13H2zM8 6.2a2.4 2.4 0 1 1 0 4.8 2.4 2.4 0 0 1 0-4.8z" />;
const SIZE = <path d="M1.5 5h13v6h-13zM4.5 5v2.5M8 5v3.5M11.5 5v2.5" />;

/** What a kind looks like. */
export function kindIcon(kind: string): ReactNode {
  if (Object.hasOwn(SHAPES, kind)) return SHAPES[kind];
  if (/Snapshot/.test(kind)) return SNAPSHOT;
  if (/Instancetype|Preference/.test(kind)) return SIZE;
  if (/Volume|DataSource/.test(kind)) return DISK;
  return <path d="M2.5 2.5h11v11h-11z" />;
}

/** A link that is broken: the object is not there. */
export const MISSING_ICON = (
  <path d="M6.5 4.5 8 3a3.2 3.2 0 0 1 4.6 0 3.2 3.2 0 0 1 0 4.6L11.3 9M9.5 11.5 8 13a3.2 3.2 0 0 1-4.6 0 3.2 3.2 0 0 1 0-4.6L4.7 7M2 2l12 12" />
);
/** A lock: whether it is there cannot be seen. */
export const FORBIDDEN_ICON = <path d="M3.5 7.5h9v6.5h-9zM5.2 7.5V5a2.8 2.8 0 0 1 5.6 0v2.5M8 10v1.8" />;
