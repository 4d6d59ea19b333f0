import type { KubeObject } from '../../data/kinds.ts';
import { FORM_PATHS } from '../../decisions/create/checks.ts';
import { moveVm, vmName, vmNamespace } from '../../decisions/create/objects.ts';
import { renameVm } from '../../decisions/create/rename.ts';
import { useCollection, useMay } from '../session.tsx';
import { Choice, type SectionProps, TextField } from './Field.tsx';

const nameOf = ({ metadata }: KubeObject): string => metadata.name;

export function NameSection({ form, problemsAt }: SectionProps) {
  const mayList = useMay()({ verb: 'list', group: '', resource: 'namespaces' }, '') === true;
  const namespace = vmNamespace(form.objects);
  const change = (next: string): void => form.edit((objects) => moveVm(objects, next));
  const problems = problemsAt(...FORM_PATHS.namespace);
  return (
    <fieldset disabled={form.broken !== undefined}>
      <legend>Name</legend>
      <TextField
        label="Name"
        value={vmName(form.objects)}
        onChange={(name) => form.edit((objects) => renameVm(objects, name.trim()))}
        problems={problemsAt(...FORM_PATHS.name)}
        hint="Lower-case letters, digits and dashes."
        placeholder="web"
        isRequired
        hasFocus
      />
      {mayList ? (
        <NamespaceChoice {...{ namespace, change, problems }} />
      ) : (
        <TextField
          label="Namespace"
          value={namespace}
          onChange={(next) => change(next.trim())}
          problems={problems}
          isRequired
        />
      )}
    </fieldset>
  );
}

interface ChoiceProps {
  readonly namespace: string;
  readonly change: (namespace: string) => void;
  readonly problems: readonly string[];
}

function NamespaceChoice({ namespace, change, problems }: ChoiceProps) {
  const { rows } = useCollection('/api/v1/namespaces', nameOf);
  const options = [...rows].sort().map((name) => [name, name] as const);
  return <Choice label="Namespace" value={namespace} onChange={change} options={options} problems={problems} />;
}
