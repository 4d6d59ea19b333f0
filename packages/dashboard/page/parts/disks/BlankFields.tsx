import type { StorageClass } from '../../data/storageKinds.ts';
import { useCollection } from '../session.tsx';
import { Field } from './Field.tsx';

export interface Blank {
  readonly name: string;
  readonly size: string;
  readonly storageClass: string;
}

interface ClassRow {
  readonly name: string;
  readonly isDefault: boolean;
}

const classRow = ({ metadata }: StorageClass): ClassRow => ({
  name: metadata.name,
  isDefault: metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true',
});

/** What a new blank disk is like. */
export function BlankFields({ value, onChange }: { readonly value: Blank; readonly onChange: (blank: Blank) => void }) {
  const classes = useCollection<StorageClass, ClassRow>('/apis/storage.k8s.io/v1/storageclasses', classRow);
  const usual = classes.rows.find(({ isDefault }) => isDefault)?.name;
  return (
    <>
      <Field label="Name of the DataVolume">
        {(props) => (
          <input
            {...props}
            value={value.name}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onChange({ ...value, name: event.target.value })}
          />
        )}
      </Field>
      <div className="act-pair">
        <Field label="Size" hint="Such as 10Gi or 512Mi.">
          {(props) => (
            <input
              {...props}
              value={value.size}
              autoComplete="off"
              onChange={(event) => onChange({ ...value, size: event.target.value.trim() })}
            />
          )}
        </Field>
        <Field
          label="Storage class"
          hint={classes.state.kind === 'refused' ? 'Classes cannot be listed; empty is the default.' : undefined}
        >
          {(props) =>
            classes.state.kind === 'refused' ? (
              <input
                {...props}
                value={value.storageClass}
                autoComplete="off"
                onChange={(event) => onChange({ ...value, storageClass: event.target.value.trim() })}
              />
            ) : (
              <select
                {...props}
                value={value.storageClass}
                onChange={(event) => onChange({ ...value, storageClass: event.target.value })}
              >
                <option value="">{usual ? `${usual} (default)` : 'The default'}</option>
                {classes.rows
                  .filter(({ isDefault }) => !isDefault)
                  .map(({ name }) => (
                    <option key={name}>{name}</option>
                  ))}
              </select>
            )
          }
        </Field>
      </div>
    </>
  );
}
