import { type FormEvent, useRef, useState } from 'react';
import {
  freeName,
  nameFrom,
  nameProblem,
  sizeFor,
  sizeProblem,
  type VolumeDraft,
} from '../../decisions/images/drafts.ts';
import type { FileKind } from '../../decisions/images/fileKinds.ts';
import { Dialog } from '../Dialog.tsx';
import { useSession } from '../session.tsx';
import { FileDrop } from './FileDrop.tsx';
import { FileEntry } from './FileEntry.tsx';
import { inspectFile } from './inspectFile.ts';
import { NamespaceField } from './NamespaceField.tsx';
import { useUploads } from './UploadsProvider.tsx';
import { ClassField } from './VolumeFields.tsx';

/** A file that was chosen, and what becomes of it. */
export interface Entry {
  readonly id: number;
  readonly file: File;
  readonly kind: FileKind;
  readonly name: string;
  readonly size: string;
  readonly isImage: boolean;
}

interface Props {
  /** Files that were dropped on the page. */
  readonly files?: readonly File[];
  readonly isTaken: (namespace: string, name: string) => boolean;
  readonly onClose: () => void;
}

/** What is wrong with an entry. */
export function problemsOf(
  entry: Entry,
  isTaken: (name: string) => boolean,
): { name?: string; size?: string; file?: string } {
  const name = nameProblem(entry.name, isTaken);
  const size =
    entry.size === '' && entry.kind.diskBytes === undefined ? undefined : sizeProblem(entry.size, entry.kind.diskBytes);
  const file = entry.file.size === 0 ? 'The file is empty.' : entry.kind.problem;
  return { ...(name && { name }), ...(size && { size }), ...(file && { file }) };
}

/** Chooses files of this computer, and what volumes are made of them. */
export function UploadDialog({ files = [], isTaken, onClose }: Props) {
  const { namespace: shown } = useSession();
  const { uploads } = useUploads();
  const [namespace, setNamespace] = useState(shown ?? 'default');
  const [storageClass, setStorageClass] = useState('');
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [isTried, setTried] = useState(false);
  const nextId = useRef(1);

  const add = async (added: readonly File[]): Promise<void> => {
    for (const file of added) {
      const kind = await inspectFile(file).catch(
        (): FileKind => ({ format: 'unsupported', label: 'unreadable', problem: 'The file cannot be read.' }),
      );
      const size = kind.diskBytes === undefined ? '' : sizeFor(kind.diskBytes);
      setEntries((before) => {
        const isUsed = (name: string): boolean => isTaken(namespace, name) || before.some((each) => each.name === name);
        const name = freeName(nameFrom(file.name) || 'disk', isUsed);
        return [...before, { id: nextId.current++, file, kind, name, size, isImage: false }];
      });
    }
  };
  const [isBegun, setBegun] = useState(false);
  if (!isBegun && files.length > 0) {
    setBegun(true);
    void add(files);
  }

  const isNameTaken = (entry: Entry) => (name: string) =>
    isTaken(namespace, name) || entries.some((each) => each.id !== entry.id && each.name === name);
  const isGood = entries.every((entry) => Object.keys(problemsOf(entry, isNameTaken(entry))).length === 0);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (entries.length === 0 || !isGood) return;
    for (const { file, name, size, isImage } of entries) {
      const draft: VolumeDraft = { namespace, name, size, storageClass, isImage };
      uploads.add(file, draft);
    }
    onClose();
  };
  return (
    <Dialog title="Upload disks and images" onClose={onClose}>
      <form onSubmit={submit} className="volume-form">
        <FileDrop onFiles={(chosen) => void add(chosen)} />
        {isTried && entries.length === 0 && <p className="problem">Choose a file.</p>}
        {entries.map((entry) => (
          <FileEntry
            key={entry.id}
            entry={entry}
            problems={problemsOf(entry, isNameTaken(entry))}
            onChange={(change) =>
              setEntries((all) => all.map((each) => (each.id === entry.id ? { ...each, ...change } : each)))
            }
            onRemove={() => setEntries((all) => all.filter(({ id }) => id !== entry.id))}
          />
        ))}
        <NamespaceField value={namespace} onChange={setNamespace} />
        <ClassField value={storageClass} onChange={setStorageClass} />
        <div className="dialog-buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" aria-disabled={entries.length === 0 || !isGood}>
            {entries.length > 1 ? `Upload ${entries.length} files` : 'Upload'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
