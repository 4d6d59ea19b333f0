import { useMemo, useState } from 'react';
import type { Vm, Vmi } from '../../data/kinds.ts';
import { withoutManagedFields } from '../../decisions/manifest.ts';
import { toYaml } from '../../decisions/yaml/text.ts';
import { ObjectEditor } from './ObjectEditor.tsx';
import { YamlEditor } from './YamlEditor.tsx';

type Shown = 'vm' | 'status' | 'vmi';

interface Props {
  readonly vm: Vm | undefined;
  readonly vmi: Vmi | undefined;
}

/** The objects behind a machine: the VM to edit, and as it is stored; the instance, which nobody edits. */
export default function Manifest({ vm, vmi }: Props) {
  const [wanted, setWanted] = useState<Shown>('vm');
  const shown: Shown = wanted === 'vmi' ? (vmi ? 'vmi' : 'vm') : vm ? wanted : 'vmi';
  const choices: [Shown, string, boolean][] = [
    ['vm', 'VirtualMachine', vm !== undefined],
    ['status', 'With status', vm !== undefined],
    ['vmi', 'VirtualMachineInstance', vmi !== undefined],
  ];
  return (
    <div className="yaml-tab">
      <div className="actions" role="group" aria-label="Object">
        {choices.map(
          ([key, title, isThere]) =>
            isThere && (
              <button key={key} type="button" aria-pressed={shown === key} onClick={() => setWanted(key)}>
                {title}
              </button>
            ),
        )}
      </div>
      {shown === 'vm' && vm && <ObjectEditor key={vm.metadata.uid} object={vm} resource="virtualmachines" />}
      {shown === 'status' && vm && (
        <AsStored object={vm} note="As the server has it. To change it, choose VirtualMachine." />
      )}
      {shown === 'vmi' && vmi && (
        <AsStored
          object={vmi}
          note={vm ? 'Read-only: the instance is made from the VM.' : 'Read-only: an instance cannot be changed.'}
        />
      )}
    </div>
  );
}

function AsStored({ object, note }: { readonly object: Vm | Vmi; readonly note: string }) {
  const text = useMemo(() => toYaml(withoutManagedFields(object)), [object]);
  return (
    <>
      <p className="muted yaml-note">{note}</p>
      <YamlEditor
        label={`YAML of ${object.kind ?? 'object'} ${object.metadata.name}, read-only`}
        value={text}
        readOnly
      />
    </>
  );
}
