import type { KubeObject } from '../../data/kinds.ts';
import { useCollection, useMay, useSession } from '../session.tsx';
import { Field, TextField } from './VolumeFields.tsx';

const nameOf = ({ metadata }: KubeObject): string => metadata.name;

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Where something new goes; only asked where all namespaces are shown. */
export function NamespaceField(props: Props) {
  const { namespace } = useSession();
  const mayList = useMay()({ verb: 'list', group: '', resource: 'namespaces' }, '');
  if (namespace !== undefined) return null;
  return mayList ? <FromList {...props} /> : <TextField id="volume-namespace" label="Namespace" {...props} />;
}

function FromList({ value, onChange }: Props) {
  const { rows } = useCollection('/api/v1/namespaces', nameOf);
  return (
    <Field id="volume-namespace" label="Namespace">
      <select id="volume-namespace" value={value} onChange={(event) => onChange(event.target.value)}>
        {[...new Set([...rows, value])].sort().map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </Field>
  );
}
