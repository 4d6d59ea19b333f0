import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Snapshot } from '../../data/collection.ts';
import type { KubeObject } from '../../data/kinds.ts';
import type { Served } from '../../decisions/features.ts';
import { useHas, useMay, useSession } from '../session.tsx';

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

const NOTHING: Snapshot<never> = { rows: [], state: { kind: 'live' } };
const nothing = (): Snapshot<never> => NOTHING;
const never = (): (() => void) => () => {};

/** The objects of a kind in a namespace, or in all that the user may list; none where the server has or shows none. */
export const useOffers = (group: string, version: string, resource: string, namespace: string): readonly Offer[] =>
  useOffered(group, version, resource, namespace, offerOf);

/** The same with other parts of the objects. `project` must be the same function each time. */
export function useOffered<T extends KubeObject>(
  group: string,
  version: string,
  resource: string,
  namespace: string,
  project: (object: T) => T,
  isWanted = true,
): readonly T[] {
  const { api } = useSession().session;
  const may = useMay();
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const permission = { verb: 'list', group, resource };
  const isEverywhere = may(permission, '') === true;
  const isHere = namespace !== '' && may(permission, namespace) === true;
  // Who may not list is not refused: nothing is asked.
  const path = !isWanted
    ? undefined
    : isEverywhere
      ? `${root}/${resource}`
      : isHere
        ? `${root}/namespaces/${encodeURIComponent(namespace)}/${resource}`
        : undefined;
  const collection = useMemo(() => (path === undefined ? undefined : api.view(path, project)), [api, path, project]);
  useEffect(() => (path === undefined ? undefined : api.hold(path, project)), [api, path, project]);
  return useSyncExternalStore<Snapshot<T>>(collection?.subscribe ?? never, collection?.snapshot ?? nothing).rows;
}

export const fullName = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** `namespace/name`, or a name in the namespace of the machine. */
export function splitName(text: string, namespace: string): { namespace: string; name: string } {
  const [first = '', second] = text.split('/');
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second };
}

/** Whether a kind is offered at all: the server has it, and the user may list it, here or everywhere. */
export function useIsOffered({ group, version, resource }: Served, namespace: string): boolean {
  const has = useHas();
  const may = useMay();
  const permission = { verb: 'list', group, resource };
  return (
    has({ group, version, resource }) === true && (may(permission, '') === true || may(permission, namespace) === true)
  );
}
