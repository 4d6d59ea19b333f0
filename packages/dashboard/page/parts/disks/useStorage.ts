import { useEffect, useState } from 'react';
import { type Vmi, whole } from '../../data/kinds.ts';
import type { Claim, DataVolume, GuestFilesystem } from '../../data/storageKinds.ts';
import { useCollection, useSession } from '../session.tsx';

const below = (namespace: string): string => `namespaces/${encodeURIComponent(namespace)}`;

export const useClaims = (namespace: string) =>
  useCollection<Claim, Claim>(`/api/v1/${below(namespace)}/persistentvolumeclaims`, whole);

export const useDataVolumes = (namespace: string) =>
  useCollection<DataVolume, DataVolume>(`/apis/cdi.kubevirt.io/v1beta1/${below(namespace)}/datavolumes`, whole);

/** What the guest agent says of file systems, read again when disks come and go. Nothing where there is no agent. */
export function useFilesystems(vmi: Vmi | undefined): readonly GuestFilesystem[] {
  const { api } = useSession().session;
  const [items, setItems] = useState<readonly GuestFilesystem[]>([]);
  const hasAgent = vmi?.status?.conditions?.some(({ type, status }) => type === 'AgentConnected' && status === 'True');
  const { name, namespace = '', uid } = vmi?.metadata ?? {};
  const devices = vmi?.status?.volumeStatus?.map(({ target, phase }) => `${target}${phase}`).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another instance or other devices have other file systems
  useEffect(() => {
    setItems([]);
    if (!hasAgent || name === undefined) return;
    const stop = new AbortController();
    const path = `/apis/subresources.kubevirt.io/v1/${below(namespace)}/virtualmachineinstances/${encodeURIComponent(name)}/filesystemlist`;
    // Who may not ask, or whose agent is silent, sees the disks without it.
    api.request<{ items?: readonly GuestFilesystem[] }>('GET', path, undefined, stop.signal).then(
      (list) => setItems(list?.items ?? []),
      () => {},
    );
    return () => stop.abort();
  }, [api, hasAgent, name, namespace, uid, devices]);
  return items;
}
