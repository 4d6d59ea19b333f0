import { useEffect, useState } from 'react';
import type { KubeObject } from '../../data/kinds.ts';
import { copyOf } from '../../decisions/create/copy.ts';
import { type Objects, vmNamespace } from '../../decisions/create/objects.ts';
import { useNotify } from '../Notices.tsx';
import { useSession } from '../session.tsx';
import { TextField } from './Field.tsx';
import { fullName, splitName, useOffers } from './offers.ts';

interface Props {
  /** `namespace/name` in the address. */
  readonly from: string | null;
  readonly objects: Objects;
  readonly load: (objects: Objects) => void;
}

/** Begins with the settings of a machine that exists. */
export function FromAnother({ from, objects, load }: Props) {
  const { api } = useSession().session;
  const notify = useNotify();
  const namespace = vmNamespace(objects);
  const [isOpen, setOpen] = useState(false);
  const copy = async (source: string): Promise<void> => {
    const { namespace: where, name } = splitName(source, namespace);
    const path = `/apis/kubevirt.io/v1/namespaces/${encodeURIComponent(where)}/virtualmachines/${encodeURIComponent(name)}`;
    try {
      const stored = await api.request<KubeObject>('GET', path);
      load(copyOf(stored, `${name}-copy`, from === null ? namespace : where));
      notify(`The form has the settings of ${where}/${name}, without its identity.`);
    } catch (error) {
      notify(`${source} cannot be copied: ${error instanceof Error ? error.message : error}`, { isError: true });
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is followed once
  useEffect(() => {
    if (from) void copy(from);
  }, [from]);
  return (
    <details className="from-another" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>From another machine</summary>
      {isOpen && <Picker namespace={namespace} start={from ?? ''} onChoose={(source) => void copy(source)} />}
    </details>
  );
}

interface PickerProps {
  readonly namespace: string;
  readonly start: string;
  readonly onChoose: (source: string) => void;
}

/** Lists machines only when somebody wants one: there may be thousands. */
function Picker({ namespace, start, onChoose }: PickerProps) {
  const machines = useOffers('kubevirt.io', 'v1', 'virtualmachines', namespace);
  const [text, setText] = useState(start);
  const source = text.trim();
  return (
    <div className="device">
      <TextField
        label="Machine"
        value={text}
        onChange={setText}
        suggestions={machines.map(fullName)}
        placeholder="namespace/name"
        hint="Its settings replace what the form has. Disks are made anew or cloned; name, MAC addresses and firmware ids are not copied."
      />
      <button type="button" aria-disabled={source === ''} onClick={() => source !== '' && onChoose(source)}>
        Use its settings
      </button>
    </div>
  );
}
