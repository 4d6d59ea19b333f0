import { useId } from 'react';
import type { SettingField } from '../../decisions/settings/fields.ts';

interface Props {
  readonly field: SettingField;
  readonly value: string;
  readonly isChanged: boolean;
  readonly isReadOnly: boolean;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

/** One setting. Nothing chosen means the default, which is named. */
export function SettingInput({ field, value, isChanged, isReadOnly, problem, onChange }: Props) {
  const id = useId();
  const { title, help, type, byDefault } = field;
  const described = { id, 'aria-describedby': `${id}-help ${id}-problem`, 'aria-invalid': problem !== undefined };
  const choices = type === 'flag' ? ['true', 'false'] : field.choices;
  return (
    <div className={isChanged ? 'field settings-changed' : 'field'}>
      <label htmlFor={id}>{title}</label>
      {choices ? (
        <select {...described} value={value} disabled={isReadOnly} onChange={(event) => onChange(event.target.value)}>
          <option value="">default ({byDefault})</option>
          {[...new Set([...choices, ...(value === '' ? [] : [value])])].map((each) => (
            <option key={each} value={each}>
              {type === 'flag' ? (each === 'true' ? 'yes' : 'no') : each}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...described}
          value={value}
          readOnly={isReadOnly}
          placeholder={`default (${byDefault})`}
          inputMode={type === 'number' ? 'numeric' : 'text'}
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
      <span id={`${id}-help`} className="field-help">
        {help}
      </span>
      <span id={`${id}-problem`} className="field-error" role="alert">
        {problem}
      </span>
    </div>
  );
}
