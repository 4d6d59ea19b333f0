import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Snapshot } from '../../data/collection.ts';
import type { KubeObject } from '../../data/kinds.ts';
import { useMay, useSession } from '../session.tsx';

/** An object to choose from. */
export interface Offer extends KubeObject {
  readonly spec?: {
    readonly displayName?: string;
    readonly cpu?: { readonly guest?: number };
    readonly memory?: { readonly guest?: string };
  };
  readonly status?: { readonly storageClassName?: string; readonly virtualSize?: number };
}

/** Only what is shown: lists may be long, and objects large. */
const offerOf = ({ metadata: { name, namespace }, spec, status }: Offer): Offer => ({
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  spec: {
    ...(spec?.displayName !== undefined && { displayName: spec.displayName }),
    ...(spec?.cpu && { cpu: spec.cpu }),
    ...(spec?.memory && { memory: spec.memory }),
  },
  status: {
    ...(status?.storageClassName !== undefined && { storageClassName: status.storageClassName }),
    ...(status?.virtualSize !== undefined && { virtualSize: status.virtualSize }),
  },
});

const NOTHING: Snapshot<Offer> = { rows: [], state: { kind: 'live' } };
const nothing = (): Snapshot<Offer> => NOTHING;
const never = (): (() => void) => () => {};

/** The objects of a kind in a namespace, or in all that the user may list; none where the server has or shows none. */
export function useOffers(group: string, version: string, resource: string, namespace: string): readonly Offer[] {
  const { api } = useSession().session;
  const may = useMay();
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const permission = { verb: 'list', group, resource };
  const isEverywhere = may(permission, '') === true;
  const isHere = namespace !== '' && may(permission, namespace) === true;
  // Who may not list is not refused: nothing is asked.
  const path = isEverywhere
    ? `${root}/${resource}`
    : isHere
      ? `${root}/namespaces/${encodeURIComponent(namespace)}/${resource}`
      : undefined;
  const collection = useMemo(() => (path === undefined ? undefined : api.view(path, offerOf)), [api, path]);
  useEffect(() => (path === undefined ? undefined : api.hold(path, offerOf)), [api, path]);
  return useSyncExternalStore(collection?.subscribe ?? never, collection?.snapshot ?? nothing).rows;
}

export const fullName = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** `namespace/name`, or a name in the namespace of the machine. */
export function splitName(text: string, namespace: string): { namespace: string; name: string } {
  const [first = '', second] = text.split('/');
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second };
}
