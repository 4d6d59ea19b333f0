import { useMemo, useState } from 'react';
import { stringify } from 'yaml';
import type { KubeObject, Vm, Vmi } from '../data/kinds.ts';
import { withoutManagedFields } from '../decisions/manifest.ts';

/** The objects behind a machine, as they are stored. */
export default function Manifest({ vm, vmi }: { readonly vm: Vm | undefined; readonly vmi: Vmi | undefined }) {
  const [isVmiShown, setVmiShown] = useState(false);
  const shown: KubeObject | undefined = (isVmiShown ? vmi : vm) ?? vmi;
  const text = useMemo(() => (shown ? stringify(withoutManagedFields(shown), { lineWidth: 0 }) : ''), [shown]);
  return (
    <div className="manifest">
      {vm && vmi && (
        <div className="actions" role="group" aria-label="Object">
          <button type="button" aria-pressed={!isVmiShown} onClick={() => setVmiShown(false)}>
            VirtualMachine
          </button>
          <button type="button" aria-pressed={isVmiShown} onClick={() => setVmiShown(true)}>
            VirtualMachineInstance
          </button>
        </div>
      )}
      <pre tabIndex={0} role="region" aria-label="YAML">
        <code>{text}</code>
      </pre>
    </div>
  );
}
