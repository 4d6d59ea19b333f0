import { useState } from 'react';
import type { KubeVirt } from '../../data/kubevirtKinds.ts';
import { type Gate, gatesOf, withGate } from '../../decisions/settings/gates.ts';
import { ConfirmDialog } from '../ConfirmDialog.tsx';
import { useNotify } from '../Notices.tsx';
import { useSaveKubeVirt } from './useSaveKubeVirt.ts';

const SETTINGS = { default: 'default', enabled: 'enabled', disabled: 'disabled' } as const;
const NO_KEYS: readonly string[] = [];

/** Feature gates with what they do. A change concerns the whole cluster, so it is asked about. */
export function Gates({ kubeVirt }: { readonly kubeVirt: KubeVirt }) {
  const notify = useNotify();
  const configuration = kubeVirt.spec?.configuration;
  const { offer, isBusy, complaints, save } = useSaveKubeVirt(kubeVirt, NO_KEYS);
  const [asked, setAsked] = useState<{ gate: Gate; setting: Gate['setting'] }>();
  const apply = async ({ gate, setting }: { gate: Gate; setting: Gate['setting'] }): Promise<void> => {
    setAsked(undefined);
    const lists = withGate(configuration, gate.name, setting);
    const edits = (['featureGates', 'disabledFeatureGates'] as const).map((list) => ({
      path: ['developerConfiguration', list],
      value: lists[list].length > 0 ? lists[list] : undefined,
    }));
    if (await save(edits)) notify(`${gate.name} is ${setting === 'default' ? 'as by default' : setting}.`);
  };
  return (
    <div className="stack">
      {!offer.isOffered && <p className="callout">{offer.reason}</p>}
      {complaints[''] && (
        <p className="callout callout-err" role="alert">
          {complaints['']}
        </p>
      )}
      <div className="list-scroll">
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Feature gate</th>
              <th scope="col">Setting</th>
            </tr>
          </thead>
          <tbody>
            {gatesOf(configuration).map((gate) => (
              <tr key={gate.name}>
                <th scope="row">
                  {gate.name}
                  <small className="muted list-about">{gate.text}</small>
                </th>
                <td>
                  <select
                    aria-label={`Setting of ${gate.name}`}
                    value={gate.setting}
                    disabled={!offer.isOffered || isBusy}
                    onChange={(event) => setAsked({ gate, setting: event.target.value as Gate['setting'] })}
                  >
                    {Object.values(SETTINGS).map((setting) => (
                      <option key={setting}>{setting}</option>
                    ))}
                  </select>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {asked && (
        <ConfirmDialog
          title={`Set ${asked.gate.name} to ${asked.setting}?`}
          button={`Set to ${asked.setting}`}
          onCancel={() => setAsked(undefined)}
          onConfirm={() => void apply(asked)}
        >
          <p>{asked.gate.text}</p>
          <p>This concerns all machines of the cluster.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
