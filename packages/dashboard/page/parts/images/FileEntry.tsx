import { formatBytes } from '../../decisions/quantity.ts';
import type { Entry } from './UploadDialog.tsx';
import { TextField } from './VolumeFields.tsx';

interface Props {
  readonly entry: Entry;
  readonly problems: { readonly name?: string; readonly size?: string; readonly file?: string };
  readonly onChange: (change: Partial<Entry>) => void;
  readonly onRemove: () => void;
}

/** One file of an upload: what it is, and the volume that it becomes. */
export function FileEntry({ entry, problems, onChange, onRemove }: Props) {
  const { id, file, kind, name, size, isImage } = entry;
  return (
    <fieldset className="file-entry">
      <legend className="visually-hidden">{file.name}</legend>
      <div className="file-head">
        <span className="file-name">
          <strong>{file.name}</strong>{' '}
          <span className="muted">
            {formatBytes(file.size)}, {kind.label}
          </span>
        </span>
        <button type="button" className="plain" aria-label={`Remove ${file.name}`} onClick={onRemove}>
          ✕
        </button>
      </div>
      {problems.file && (
        <p className="problem" role="alert">
          {problems.file}
        </p>
      )}
      <div className="field-row">
        <TextField
          id={`upload-name-${id}`}
          label="Name"
          value={name}
          onChange={(text) => onChange({ name: text })}
          problem={problems.name}
        />
        <TextField
          id={`upload-size-${id}`}
          label="Disk size"
          value={size}
          onChange={(text) => onChange({ size: text })}
          problem={problems.size}
          placeholder="as its data"
          hint={
            kind.diskBytes === undefined
              ? 'Empty: as large as its data (on Vireo). Elsewhere, give the unpacked size.'
              : `The disk in it has ${formatBytes(kind.diskBytes)}.`
          }
        />
      </div>
      <label className="check">
        <input type="checkbox" checked={isImage} onChange={(event) => onChange({ isImage: event.target.checked })} />
        Offer it as an image for new machines (creates a DataSource)
      </label>
    </fieldset>
  );
}
