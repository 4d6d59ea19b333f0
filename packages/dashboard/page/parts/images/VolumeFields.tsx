import type { ReactNode } from 'react';
import { annotationOf } from '../../decisions/images/objects.ts';
import { useClasses } from './useVolumes.ts';

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly problem?: string | undefined;
  readonly children: ReactNode;
}

/** A labelled field, with what is wrong with it below. */
export function Field({ id, label, hint, problem, children }: FieldProps) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      {problem ? (
        <small id={`${id}-note`} className="problem">
          {problem}
        </small>
      ) : (
        hint && (
          <small id={`${id}-note`} className="muted">
            {hint}
          </small>
        )
      )}
    </div>
  );
}

interface TextProps extends Omit<FieldProps, 'children'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
}

export function TextField({ value, onChange, placeholder, ...field }: TextProps) {
  return (
    <Field {...field}>
      <input
        id={field.id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        placeholder={placeholder}
        aria-invalid={field.problem !== undefined}
        aria-describedby={`${field.id}-note`}
        autoComplete="off"
        spellCheck={false}
      />
    </Field>
  );
}

const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class';

/** Chooses a storage class: from a list for those who may read it, else by name. */
export function ClassField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const classes = useClasses();
  if (classes.length === 0)
    return (
      <TextField
        id="volume-class"
        label="Storage class"
        value={value}
        onChange={onChange}
        hint="Empty: the default class. You may not list classes, so write its name."
      />
    );
  const names = classes.map(({ metadata }) => metadata.name).sort();
  const standard = classes.find((each) => annotationOf(each, IS_DEFAULT) === 'true')?.metadata.name;
  const waits = classes.find(({ metadata }) => metadata.name === (value || standard))?.volumeBindingMode;
  return (
    <Field
      id="volume-class"
      label="Storage class"
      hint={
        waits === 'WaitForFirstConsumer'
          ? 'Volumes of this class are usually made where their first machine runs.'
          : undefined
      }
    >
      <select id="volume-class" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{standard ? `${standard} (default)` : 'default'}</option>
        {names
          .filter((name) => name !== standard)
          .map((name) => (
            <option key={name}>{name}</option>
          ))}
      </select>
    </Field>
  );
}
