import type { Vm } from '../../data/kinds.ts';
import type { VolumeSource } from '../../decisions/disks/changes.ts';
import { type Choice, choicesOf } from '../../decisions/disks/offers.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import { Field } from './Field.tsx';
import { useClaims, useDataVolumes } from './useStorage.ts';

interface Props {
  readonly label: string;
  readonly namespace: string;
  readonly vm: Vm | undefined;
  readonly value: VolumeSource | undefined;
  readonly onChange: (source: VolumeSource | undefined) => void;
}

const keyOf = ({ kind, name }: VolumeSource): string => `${kind} ${name}`;

/** Chooses a claim or a DataVolume of the namespace; who cannot list them types a name. */
export function SourceField({ label, namespace, vm, value, onChange }: Props) {
  const claims = useClaims(namespace);
  const dataVolumes = useDataVolumes(namespace);
  const choices = choicesOf(vm, claims.rows, dataVolumes.rows);
  if (claims.state.kind === 'refused')
    return (
      <Field label={`${label}: name of a claim`} hint={`Claims cannot be listed: ${claims.state.reason}`}>
        {(props) => (
          <input
            {...props}
            value={value?.name ?? ''}
            data-autofocus
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onChange(target.value === '' ? undefined : { kind: 'claim', name: target.value })}
          />
        )}
      </Field>
    );
  const isEmpty = choices.length === 0 && claims.state.kind === 'live';
  return (
    <Field
      label={label}
      hint={isEmpty ? 'No other claim or DataVolume is in this namespace. Upload an image first.' : undefined}
    >
      {(props) => (
        <select
          {...props}
          data-autofocus
          value={value ? keyOf(value) : ''}
          onChange={({ target }) => onChange(choices.find(({ source }) => keyOf(source) === target.value)?.source)}
        >
          <option value="">Choose…</option>
          {choices.map((choice) => (
            <option key={keyOf(choice.source)} value={keyOf(choice.source)}>
              {textOf(choice)}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

const textOf = ({ source, sizeBytes, note }: Choice): string =>
  [
    source.name,
    sizeBytes !== undefined && formatBytes(sizeBytes),
    source.kind === 'claim' ? 'claim' : 'DataVolume',
    note,
  ]
    .filter(Boolean)
    .join(' · ');
