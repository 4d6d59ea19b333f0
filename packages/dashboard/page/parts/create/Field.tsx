import { type ReactNode, useId } from 'react';
import type { MachineForm } from './useMachineForm.ts';

/** What each part of the form gets. */
export interface SectionProps {
  readonly form: MachineForm;
  /** What is wrong with fields at these paths. */
  readonly problemsAt: (...paths: (readonly (string | number)[])[]) => readonly string[];
}

interface Props {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly problems?: readonly string[];
  /** The control; it must take both attributes. */
  readonly children: (attributes: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ReactNode;
}

/** A control with its name, what it means, and what is wrong with it. */
export function Field({ label, hint, problems = [], children }: Props) {
  const id = useId();
  const note = `${id}-note`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': note, 'aria-invalid': problems.length > 0 })}
      <div id={note}>
        {problems.map((problem) => (
          <p key={problem} className="field-problem">
            {problem}
          </p>
        ))}
        {hint && <p className="field-hint">{hint}</p>}
      </div>
    </div>
  );
}

interface TextProps extends Omit<Props, 'children'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly suggestions?: readonly string[];
  readonly isRequired?: boolean;
  readonly type?: 'text' | 'password' | 'url' | 'number';
  readonly hasFocus?: boolean;
}

/** A line of text, with what is known to choose from. */
export function TextField({
  value,
  onChange,
  placeholder,
  suggestions,
  isRequired,
  type = 'text',
  hasFocus,
  ...field
}: TextProps) {
  const list = useId();
  return (
    <Field {...field}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            type={type}
            value={value}
            onChange={(event) => onChange(event.target.value)}
            placeholder={placeholder}
            required={isRequired}
            spellCheck={false}
            autoComplete={type === 'password' ? 'new-password' : 'off'}
            // biome-ignore lint/a11y/noAutofocus: the page is for filling this in
            autoFocus={hasFocus}
            list={suggestions && list}
          />
          {suggestions && (
            <datalist id={list}>
              {suggestions.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

interface ChoiceProps<T extends string> extends Omit<Props, 'children'> {
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly options: readonly (readonly [value: T, title: string])[];
}

/** One of a few. A value that is none of them is shown all the same. */
export function Choice<T extends string>({ value, onChange, options, ...field }: ChoiceProps<T>) {
  const isKnown = options.some(([each]) => each === value);
  return (
    <Field {...field}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={(event) => onChange(event.target.value as T)}>
          {!isKnown && <option value={value}>{value || 'choose…'}</option>}
          {options.map(([each, title]) => (
            <option key={each} value={each}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
