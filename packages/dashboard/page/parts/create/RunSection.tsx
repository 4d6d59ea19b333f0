import { useState } from 'react';
import { FORM_PATHS } from '../../decisions/create/checks.ts';
import { labelsText, parseLabels, withLabels } from '../../decisions/create/extras.ts';
import { textAt, withAt } from '../../decisions/create/objects.ts';
import { Choice, type SectionProps, TextField } from './Field.tsx';

const STRATEGIES = [
  ['Always', 'Always: it starts now, and again whenever it ends'],
  ['RerunOnFailure', 'RerunOnFailure: it starts now, and again if it fails'],
  ['Manual', 'Manual: it starts and stops by command only'],
  ['Halted', 'Halted: it stays off until it is started'],
  ['Once', 'Once: it starts now, and never again'],
] as const;

/** When it runs, and how it is found. */
export function RunSection({ form, problemsAt }: SectionProps) {
  const { vm } = form.objects;
  const current = labelsText(vm);
  const [typed, setTyped] = useState<string>();
  const isValid = typed === undefined || parseLabels(typed) !== undefined;
  return (
    <fieldset disabled={form.broken !== undefined}>
      <legend>Running and labels</legend>
      <Choice
        label="Run strategy"
        value={textAt(vm, ['spec', 'runStrategy'])}
        onChange={(value: string) =>
          form.edit((all) => ({ ...all, vm: withAt(all.vm, ['spec', 'runStrategy'], value) }))
        }
        options={STRATEGIES}
        problems={problemsAt(...FORM_PATHS.running)}
      />
      <TextField
        label="Labels"
        value={typed ?? current}
        onChange={(text) => {
          setTyped(text);
          const labels = parseLabels(text);
          if (labels) form.edit((all) => ({ ...all, vm: withLabels(all.vm, labels) }));
        }}
        placeholder="app=web, tier=front"
        problems={[
          ...problemsAt(...FORM_PATHS.labels),
          ...(isValid ? [] : ['Write labels as name=value, with commas between them.']),
        ]}
      />
    </fieldset>
  );
}
