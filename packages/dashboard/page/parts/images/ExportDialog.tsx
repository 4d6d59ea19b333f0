import { type FormEvent, useState } from 'react';
import { nameProblem } from '../../decisions/images/drafts.ts';
import { type ExportSource, exportCommand, exportFrom, exportPath } from '../../decisions/images/exports.ts';
import { Dialog } from '../Dialog.tsx';
import { useNotify } from '../Notices.tsx';
import { useSession } from '../session.tsx';
import { CopyLine } from './CopyLine.tsx';
import { NamespaceField } from './NamespaceField.tsx';
import { Field, TextField } from './VolumeFields.tsx';

interface Props {
  readonly namespace: string;
  /** Undefined: it is asked for. */
  readonly source?: { readonly kind: ExportSource; readonly name: string };
  readonly onClose: () => void;
  readonly onCreated?: () => void;
}

const KINDS: readonly (readonly [ExportSource, string])[] = [
  ['VirtualMachine', 'Machine (must be stopped)'],
  ['VirtualMachineSnapshot', 'Snapshot of a machine'],
  ['PersistentVolumeClaim', 'Claim'],
];
const TTLS = ['15m', '1h', '2h', '8h', '24h'];

/** Offers disks for download, for a limited time. */
export function ExportDialog({ namespace: begun, source, onClose, onCreated }: Props) {
  const { session } = useSession();
  const notify = useNotify();
  const [namespace, setNamespace] = useState(begun);
  const [kind, setKind] = useState<ExportSource>(source?.kind ?? 'VirtualMachine');
  const [sourceName, setSourceName] = useState(source?.name ?? '');
  const [typedName, setName] = useState<string>();
  const [ttl, setTtl] = useState('2h');
  const [failure, setFailure] = useState<string>();
  const [isTried, setTried] = useState(false);
  const name = typedName ?? sourceName;
  const problem = nameProblem(name, () => false);
  const sourceProblem = sourceName === '' ? 'Name what is to be exported.' : undefined;
  const wanted = { kind, name: sourceName };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried(true);
    if (problem || sourceProblem) return;
    session.api.request('POST', exportPath(namespace), exportFrom(namespace, name, wanted, ttl)).then(
      () => {
        notify(`Export ${name} is being prepared.`);
        onClose();
        onCreated?.();
      },
      (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <Dialog title={source ? `Export ${source.name}` : 'Export'} onClose={onClose}>
      <form onSubmit={submit} className="volume-form">
        <p>Whoever has the export’s token can download the data until it ends. Then it is deleted; the volume stays.</p>
        {!source && (
          <>
            <NamespaceField value={namespace} onChange={setNamespace} />
            <Field id="export-kind" label="What">
              <select id="export-kind" value={kind} onChange={(event) => setKind(event.target.value as ExportSource)}>
                {KINDS.map(([value, title]) => (
                  <option key={value} value={value}>
                    {title}
                  </option>
                ))}
              </select>
            </Field>
            <TextField
              id="export-source"
              label="Its name"
              value={sourceName}
              onChange={setSourceName}
              problem={isTried ? sourceProblem : undefined}
            />
          </>
        )}
        <TextField
          id="export-name"
          label="Name of the export"
          value={name}
          onChange={setName}
          problem={isTried || typedName !== undefined ? problem : undefined}
        />
        <Field id="export-ttl" label="Ends after">
          <select id="export-ttl" value={ttl} onChange={(event) => setTtl(event.target.value)}>
            {TTLS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </Field>
        {sourceName !== '' && (
          <details>
            <summary>Without a browser</summary>
            <CopyLine text={exportCommand(namespace, wanted)} />
          </details>
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
          <button type="submit" className="primary">
            Create export
          </button>
        </div>
      </form>
    </Dialog>
  );
}
