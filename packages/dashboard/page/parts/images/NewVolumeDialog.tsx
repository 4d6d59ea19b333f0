import { type FormEvent, useState } from 'react';
import { Refused } from '../../data/refused.ts';
import { pathOf } from '../../decisions/images/deleting.ts';
import {
  dataSourceFrom,
  dataVolumeFrom,
  freeName,
  importSource,
  nameFrom,
  nameProblem,
  quantityFrom,
  sizeProblem,
} from '../../decisions/images/drafts.ts';
import type { DataVolumeSource } from '../../decisions/images/objects.ts';
import type { Volume } from '../../decisions/images/volumes.ts';
import { bytesOf, formatBytes } from '../../decisions/quantity.ts';
import { Dialog } from '../Dialog.tsx';
import { useNotify } from '../Notices.tsx';
import { useSession } from '../session.tsx';
import { NamespaceField } from './NamespaceField.tsx';
import { ClassField, TextField } from './VolumeFields.tsx';

/** Where the data of a new volume is from. */
export type NewVolume =
  | { readonly from: 'address' }
  | { readonly from: 'nothing' }
  | { readonly from: 'volume'; readonly volume: Volume };

interface Props {
  readonly wanted: NewVolume;
  readonly isTaken: (namespace: string, name: string) => boolean;
  readonly onClose: () => void;
}

const TITLES = { address: 'Import an image', nothing: 'Create an empty disk', volume: 'Clone' } as const;
const BUTTONS = { address: 'Import', nothing: 'Create disk', volume: 'Clone' } as const;

/** Makes a volume whose data the server gets by itself: a download, a container disk, a copy, or none. */
export function NewVolumeDialog({ wanted, isTaken, onClose }: Props) {
  const { session, namespace: shown } = useSession();
  const notify = useNotify();
  const copied = wanted.from === 'volume' ? wanted.volume : undefined;
  const [namespace, setNamespace] = useState(copied?.namespace ?? shown ?? 'default');
  const [address, setAddress] = useState('');
  const [typedName, setName] = useState<string>();
  const [size, setSize] = useState(wanted.from === 'nothing' ? '10Gi' : '');
  const [storageClass, setStorageClass] = useState('');
  const [isImage, setImage] = useState(false);
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  const isNameTaken = (name: string): boolean => isTaken(namespace, name);
  const suggested = copied
    ? `${copied.name}-copy`
    : wanted.from === 'nothing'
      ? 'disk'
      : nameFrom(address.replace(/[:@][^/]*$/, ''));
  const name = typedName ?? freeName(suggested, isNameTaken);
  const source = sourceOf(wanted, address);
  const problems = {
    address: source ? undefined : 'Give a URL (https://…) or a container image (quay.io/containerdisks/fedora:43).',
    name: nameProblem(name, isNameTaken),
    size: size.trim() === '' && wanted.from !== 'nothing' ? undefined : sizeProblem(size, copied?.sizeBytes),
  };
  const isGood = Object.values(problems).every((problem) => problem === undefined);
  const shownProblem = (problem: string | undefined): string | undefined => (isTried ? problem : undefined);

  const create = async (): Promise<void> => {
    if (!source) return;
    const draft = { namespace, name, size, storageClass, isImage };
    await session.api.request('POST', pathOf('DataVolume', namespace), dataVolumeFrom(draft, source));
    notify(`Volume ${name} is being created.`);
    if (isImage) await session.api.request('POST', pathOf('DataSource', namespace), dataSourceFrom(draft));
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (!isGood || isBusy) return;
    setBusy(true);
    setFailure(undefined);
    create().catch((error: unknown) => {
      if (error instanceof Refused && error.code === 403) session.rights.forget();
      setFailure(error instanceof Error ? error.message : String(error));
      setBusy(false);
    });
  };
  const title = copied ? `Clone ${copied.name}` : TITLES[wanted.from];
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit} className="volume-form">
        {wanted.from === 'address' && (
          <TextField
            id="volume-address"
            label="Address"
            value={address}
            onChange={setAddress}
            placeholder="https://…/disk.qcow2 or quay.io/containerdisks/fedora:43"
            problem={shownProblem(problems.address)}
            hint="The server downloads it: raw, qcow2 or ISO, plain or compressed, or the disk in a container image."
          />
        )}
        <NamespaceField value={namespace} onChange={setNamespace} />
        <TextField
          id="volume-name"
          label="Name"
          value={name}
          onChange={setName}
          problem={typedName !== undefined || isTried ? problems.name : undefined}
        />
        <TextField
          id="volume-size"
          label="Size"
          value={size}
          onChange={setSize}
          problem={size === '' ? shownProblem(problems.size) : problems.size}
          placeholder={copied?.sizeBytes === undefined ? 'as its data' : formatBytes(copied.sizeBytes)}
          hint={sizeHint(wanted, size)}
        />
        <ClassField value={storageClass} onChange={setStorageClass} />
        {wanted.from !== 'nothing' && (
          <label className="check">
            <input type="checkbox" checked={isImage} onChange={(event) => setImage(event.target.checked)} />
            Offer it as an image for new machines (creates a DataSource)
          </label>
        )}
        {failure && (
          <p className="problem" role="alert">
            {failure}
          </p>
        )}
        <div className="dialog-buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" aria-disabled={isBusy || (isTried && !isGood)}>
            {BUTTONS[wanted.from]}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function sourceOf(wanted: NewVolume, address: string): DataVolumeSource | undefined {
  switch (wanted.from) {
    case 'address':
      return importSource(address);
    case 'nothing':
      return { blank: {} };
    case 'volume':
      return { pvc: { namespace: wanted.volume.namespace, name: wanted.volume.claimName ?? wanted.volume.name } };
  }
}

function sizeHint(wanted: NewVolume, size: string): string {
  const bytes = bytesOf(quantityFrom(size));
  if (bytes !== undefined) return `${formatBytes(bytes)}. Space is taken as it is written.`;
  if (wanted.from === 'volume') return 'Empty: as large as the original.';
  return wanted.from === 'address' ? 'Empty: as large as its data (on Vireo). Elsewhere, give the size.' : '';
}
