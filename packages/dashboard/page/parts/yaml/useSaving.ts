import { useState } from 'react';
import type { KubeObject } from '../../data/kinds.ts';
import { mismatch } from '../../decisions/yaml/editable.ts';
import type { Merged } from '../../decisions/yaml/merge.ts';
import type { Problem } from '../../decisions/yaml/problems.ts';
import { readYaml, updateYaml } from '../../decisions/yaml/text.ts';
import { useNotify } from '../Notices.tsx';
import { useSession } from '../session.tsx';
import { setDraft } from './drafts.ts';
import { store } from './saving.ts';

/** Where somebody is between typing and having stored. */
export type SavingState =
  | { readonly kind: 'typing' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'review'; readonly edited: unknown; readonly outcome: KubeObject; readonly isApplying: boolean }
  | { readonly kind: 'conflict'; readonly theirs: KubeObject; readonly merged: Merged };

const NONE: readonly Problem[] = [];

/** Stores a text in two steps: the server says what would come of it, then it is done. */
export function useSaving(path: string, draftKey: string, base: KubeObject, text: string) {
  const { session } = useSession();
  const notify = useNotify();
  const [state, setState] = useState<SavingState>({ kind: 'typing' });
  const [problems, setProblems] = useState(NONE);

  const change = (next: string, stored: string): void => {
    setProblems(NONE);
    setDraft(draftKey, next === stored ? undefined : { text: next, base });
  };
  const back = (): void => setState({ kind: 'typing' });
  const discard = (): void => {
    setProblems(NONE);
    setDraft(draftKey, undefined);
    back();
  };
  const refuse = (found: readonly Problem[]): void => {
    setProblems(found);
    back();
  };

  const send = async (edited: unknown, isDryRun: boolean): Promise<void> => {
    try {
      const outcome = await store(session.api, path, edited, base, isDryRun);
      if (outcome.kind === 'conflict') return setState(outcome);
      if (outcome.kind === 'problems') {
        if (outcome.isForbidden) session.rights.forget();
        return refuse(outcome.problems);
      }
      if (isDryRun) return setState({ kind: 'review', edited, outcome: outcome.object, isApplying: false });
      setDraft(draftKey, undefined);
      back();
      notify(`${base.kind ?? 'Object'} ${base.metadata.name} is stored.`);
    } catch (error) {
      refuse([{ message: error instanceof Error ? error.message : String(error) }]);
    }
  };

  const review = (): void => {
    const { documents = [], broken } = readYaml(text);
    const [edited] = documents;
    const wrong = broken
      ? `Line ${broken.line}: ${broken.message}`
      : documents.length > 1
        ? 'The text has more than one object.'
        : mismatch(edited, base);
    setProblems(wrong === undefined ? NONE : [{ message: wrong }]);
    if (wrong !== undefined) return;
    setState({ kind: 'busy' });
    void send(edited, true);
  };
  const apply = (): void => {
    if (state.kind !== 'review' || state.isApplying) return;
    setState({ ...state, isApplying: true });
    void send(state.edited, false);
  };
  /** Goes on from what others have stored, with the merge as the text. */
  const rebase = (theirs: KubeObject, value: unknown): void => {
    setDraft(draftKey, { text: updateYaml(text, [value]), base: theirs });
    back();
  };
  return { state, problems, change, review, apply, back, discard, rebase };
}
