import { useCallback, useEffect, useState } from 'react';
import { documentsOf, type Objects, objectsFrom } from '../../decisions/create/objects.ts';
import { readYaml, toYamlDocuments, updateYaml } from '../../decisions/yaml/text.ts';

interface State {
  readonly text: string;
  /** Of the last text that could be read: the form shows these while the text is broken. */
  readonly objects: Objects;
  /** Why the text cannot be read. */
  readonly broken: string | undefined;
  readonly isTouched: boolean;
}

/** The text and the form are two views of the same objects; either changes both. */
export interface MachineForm extends State {
  /** A change by the form. */
  readonly edit: (change: (objects: Objects) => Objects) => void;
  /** A change of the text. */
  readonly type: (text: string) => void;
  /** Begins anew with other objects. */
  readonly load: (objects: Objects) => void;
  /** After what was made is stored: leaving loses nothing any more. */
  readonly release: () => void;
}

const startWith = (objects: Objects): State => ({
  text: toYamlDocuments(documentsOf(objects)),
  objects,
  broken: undefined,
  isTouched: false,
});

export function useMachineForm(start: () => Objects): MachineForm {
  const [state, setState] = useState<State>(() => startWith(start()));
  const edit = useCallback<MachineForm['edit']>((change) => {
    setState((before) => {
      if (before.broken !== undefined) return before;
      const objects = change(before.objects);
      return { text: updateYaml(before.text, documentsOf(objects)), objects, broken: undefined, isTouched: true };
    });
  }, []);
  const type = useCallback<MachineForm['type']>((text) => {
    setState((before) => ({ ...before, ...readText(text), text, isTouched: true }));
  }, []);
  const load = useCallback<MachineForm['load']>((objects) => setState(startWith(objects)), []);
  const release = useCallback((): void => setState((before) => ({ ...before, isTouched: false })), []);

  useEffect(() => {
    if (!state.isTouched) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [state.isTouched]);
  return { ...state, edit, type, load, release };
}

function readText(text: string): { readonly objects?: Objects; readonly broken: string | undefined } {
  const { documents, broken } = readYaml(text);
  if (broken) return { broken: `Line ${broken.line}: ${broken.message}` };
  const objects = objectsFrom(documents);
  return typeof objects === 'string' ? { broken: objects } : { objects, broken: undefined };
}
