import { useState } from 'react';
import type { KubeVirt } from '../../data/kubevirtKinds.ts';
import { Refused } from '../../data/refused.ts';
import type { Offer } from '../../decisions/actions.ts';
import { offerOf } from '../../decisions/offers.ts';
import { plainComplaint } from '../../decisions/settings/complaint.ts';
import { type Edit, fieldOf, patchFor } from '../../decisions/settings/patch.ts';
import { useMay, useSession } from '../session.tsx';

/** What the server said about a change, by field; `''` is about none of them. */
export type Complaints = Readonly<Record<string, string>>;

export interface SaveKubeVirt {
  readonly offer: Offer;
  readonly isBusy: boolean;
  readonly complaints: Complaints;
  readonly setComplaints: (complaints: Complaints) => void;
  /** Whether it was saved. */
  readonly save: (edits: readonly Edit[]) => Promise<boolean>;
}

/** Changes the KubeVirt object, after a dry run. */
export function useSaveKubeVirt(kubeVirt: KubeVirt, keys: readonly string[]): SaveKubeVirt {
  const { api, rights } = useSession().session;
  const { namespace = '', name } = kubeVirt.metadata;
  const offer = offerOf(useMay(), { verb: 'patch', group: 'kubevirt.io', resource: 'kubevirts' }, namespace);
  const [isBusy, setBusy] = useState(false);
  const [complaints, setComplaints] = useState<Complaints>({});
  const save = async (edits: readonly Edit[]): Promise<boolean> => {
    const path = `/apis/kubevirt.io/v1/namespaces/${encodeURIComponent(namespace)}/kubevirts/${encodeURIComponent(name)}`;
    const operations = patchFor(kubeVirt, edits);
    setBusy(true);
    setComplaints({});
    try {
      await api.patch(`${path}?dryRun=All&fieldValidation=Strict`, operations);
      await api.patch(path, operations);
      return true;
    } catch (error) {
      if (error instanceof Refused && error.code === 403) rights.forget();
      setComplaints(complaintsOf(error, keys));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { offer, isBusy, complaints, setComplaints, save };
}

function complaintsOf(error: unknown, keys: readonly string[]): Complaints {
  const message = error instanceof Error ? error.message : String(error);
  const found = (error instanceof Refused ? error.causes : []).flatMap(({ field, message: text }) => {
    const key = fieldOf(field, keys);
    return key ? [[key, plainComplaint(text ?? message)] as const] : [];
  });
  return found.length > 0 ? Object.fromEntries(found) : { '': message };
}
