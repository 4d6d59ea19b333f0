import { type FormEvent, useState } from 'react';
import type { KubeVirt } from '../../data/kubevirtKinds.ts';
import { apiValue, FIELDS, fieldKey, fieldProblem, SECTIONS, shownValue } from '../../decisions/settings/fields.ts';
import { useNotify } from '../Notices.tsx';
import { SettingInput } from './SettingInput.tsx';
import { useSaveKubeVirt } from './useSaveKubeVirt.ts';

const KEYS = FIELDS.map(fieldKey);

/** The common settings. Only what was touched is written; a refusal loses nothing. */
export function KubeVirtForm({ kubeVirt }: { readonly kubeVirt: KubeVirt }) {
  const notify = useNotify();
  const [touched, setTouched] = useState<Readonly<Record<string, string>>>({});
  const { offer, isBusy, complaints, setComplaints, save } = useSaveKubeVirt(kubeVirt, KEYS);
  const configuration = kubeVirt.spec?.configuration;
  const changed = FIELDS.filter((field) => {
    const text = touched[fieldKey(field)];
    return text !== undefined && text.trim() !== shownValue(configuration, field);
  });
  const isReady = offer.isOffered && !isBusy && changed.length > 0;

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isReady) return;
    const textOf = (key: string): string => (touched[key] ?? '').trim();
    const mistakes = changed.flatMap((field) => {
      const problem = fieldProblem(field, textOf(fieldKey(field)));
      return problem ? [[fieldKey(field), problem] as const] : [];
    });
    if (mistakes.length > 0) return setComplaints(Object.fromEntries(mistakes));
    const edits = changed.map((field) => ({ path: field.path, value: apiValue(field, textOf(fieldKey(field))) }));
    if (!(await save(edits))) return;
    setTouched({});
    notify(`${edits.length === 1 ? 'The setting is' : `${edits.length} settings are`} saved.`);
  };
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      {SECTIONS.map(({ title, fields }) => (
        <section key={title} className="card" aria-label={title}>
          <h2>{title}</h2>
          <div className="settings-form">
            {fields.map((field) => {
              const key = fieldKey(field);
              return (
                <SettingInput
                  key={key}
                  field={field}
                  value={touched[key] ?? shownValue(configuration, field)}
                  isChanged={changed.includes(field)}
                  isReadOnly={!offer.isOffered}
                  problem={complaints[key]}
                  onChange={(text) => setTouched({ ...touched, [key]: text })}
                />
              );
            })}
          </div>
        </section>
      ))}
      <div className="settings-save">
        <button type="submit" className="primary" aria-disabled={!isReady} title={offer.reason}>
          Check and save
          {offer.reason && <span className="visually-hidden">: {offer.reason}</span>}
        </button>
        {changed.length > 0 && (
          <button type="button" onClick={() => setTouched({})}>
            Discard changes
          </button>
        )}
        <span className="muted">{offer.reason ?? `${changed.length} changed. The server checks them first.`}</span>
      </div>
      {complaints[''] && (
        <p className="problem" role="alert">
          {complaints['']}
        </p>
      )}
    </form>
  );
}
