import { useState } from 'react';
import { Refused } from '../../data/refused.ts';
import { blankDisk, plugIn, type VolumeSource } from '../../decisions/disks/changes.ts';
import { freeName, nameProblem, sizeProblem } from '../../decisions/disks/offers.ts';
import { offerOf } from '../../decisions/offers.ts';
import { useMay, useSession } from '../session.tsx';
import { ActDialog } from './ActDialog.tsx';
import { BlankFields } from './BlankFields.tsx';
import { type DialogProps, disksHref } from './DiskDialog.tsx';
import { Field } from './Field.tsx';
import { SourceField } from './SourceField.tsx';
import { useChange } from './useChange.ts';

const CREATE = { verb: 'create', group: 'cdi.kubevirt.io', resource: 'datavolumes' };
const BUSES = ['scsi', 'virtio', 'sata'] as const;

/** Plugs in a disk: a claim or DataVolume that is there, or a new blank one. */
export function PlugDialog({ machine, vm, taken, onClose }: DialogProps & { readonly taken: readonly string[] }) {
  const { api } = useSession().session;
  const change = useChange();
  const may = useMay();
  const { namespace, name: owner, hasInstance } = machine;
  const [isNew, setNew] = useState(false);
  const [source, setSource] = useState<VolumeSource>();
  const [blank, setBlank] = useState({ name: freeName(`${owner}-disk`, taken), size: '10Gi', storageClass: '' });
  const [bus, setBus] = useState<string>('scsi');
  const [name, setName] = useState<string>();
  const made = isNew ? { kind: 'dataVolume' as const, name: blank.name } : source;
  // Follows the source until somebody gives it a name of its own.
  const diskName = name ?? (made ? freeName(made.name, taken) : '');
  const create = offerOf(may, CREATE, namespace);

  const problem =
    (isNew
      ? (nameProblem(blank.name) ?? sizeProblem(blank.size))
      : source === undefined
        ? 'Choose a disk.'
        : undefined) ?? nameProblem(diskName, taken);

  const act = async (): Promise<void> => {
    if (!made) return;
    if (isNew) await createOnce();
    await change(plugIn(machine, vm, { name: diskName, disk: { bus }, serial: diskName }, made), {
      title: `Plug ${diskName} into ${owner}`,
      done: hasInstance ? `${diskName} is being plugged in.` : `${owner} has ${diskName} when it starts.`,
      href: disksHref(machine),
    });
  };

  /** A second attempt, after the machine refused the disk, finds it made already. */
  const createOnce = async (): Promise<void> => {
    const path = `/apis/cdi.kubevirt.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/datavolumes`;
    try {
      await api.request('POST', path, blankDisk(blank.name, blank.size, blank.storageClass));
      created.add(`${namespace}/${blank.name}`);
    } catch (error) {
      const isOurs = error instanceof Refused && error.code === 409 && created.has(`${namespace}/${blank.name}`);
      if (!isOurs) throw error;
    }
  };

  return (
    <ActDialog
      title={`Plug a disk into ${owner}`}
      button="Plug in the disk"
      problem={problem}
      isForm
      onClose={onClose}
      onAct={act}
    >
      <fieldset className="act-choice">
        <legend className="visually-hidden">Which disk</legend>
        <label>
          <input type="radio" name="disk-source" checked={!isNew} onChange={() => setNew(false)} /> One that exists
        </label>
        <label title={create.reason}>
          <input
            type="radio"
            name="disk-source"
            checked={isNew}
            disabled={!create.isOffered}
            onChange={() => setNew(true)}
          />{' '}
          A new, blank one
        </label>
      </fieldset>
      {create.reason && <p className="muted">{create.reason}</p>}
      {isNew ? (
        <BlankFields value={blank} onChange={setBlank} />
      ) : (
        <SourceField label="Claim or DataVolume" namespace={namespace} vm={vm} value={source} onChange={setSource} />
      )}
      <div className="act-pair">
        <Field label="Name in the machine" hint="Also the disk’s serial number.">
          {(props) => (
            <input
              {...props}
              value={diskName}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field label="Bus">
          {(props) => (
            <select {...props} value={bus} onChange={(event) => setBus(event.target.value)}>
              {BUSES.filter((each) => !hasInstance || each !== 'sata').map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
    </ActDialog>
  );
}

/** The disks that this page has made. */
const created = new Set<string>();
