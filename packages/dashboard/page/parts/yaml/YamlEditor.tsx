import { autocompletion } from '@codemirror/autocomplete';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension, Transaction } from '@codemirror/state';
import { EditorView, hoverTooltip } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { Problem } from '../../decisions/yaml/problems.ts';
import type { Schema } from '../../decisions/yaml/schema.ts';
import { type Broken, placeOf, readYaml } from '../../decisions/yaml/text.ts';
import '../../styles/yaml.css';
import { editingExtensions } from './editing.ts';
import { withAdoptedStyles } from './editorStyles.ts';
import { completeFrom, hoverFrom } from './schemaHelp.ts';

interface Props {
  /** For screen readers. */
  readonly label: string;
  readonly value: string;
  readonly onChange?: (text: string) => void;
  /** Fields that can be completed and explained; none without. */
  readonly schema?: Schema | undefined;
  readonly readOnly?: boolean;
  /** What the server says is wrong, underlined at its field. A text that is no YAML is marked without being told. */
  readonly problems?: readonly Problem[];
}

const NO_PROBLEMS: readonly Problem[] = [];

/** A text of YAML: colours, completion, and problems at their lines. The cursor stays where it is when `value` changes. */
export function YamlEditor({ label, value, onChange, schema, readOnly = false, problems = NO_PROBLEMS }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const current = useRef({ onChange, schema, value });
  current.current = { onChange, schema, value };
  const writing = useRef(new Compartment());

  useEffect(() => {
    const parent = holder.current;
    if (!parent) return;
    const state = EditorState.create({
      doc: current.current.value,
      extensions: [
        editingExtensions,
        lintGutter(),
        autocompletion({ override: [(context) => completeFrom(context, current.current.schema)], icons: false }),
        hoverTooltip((editor, position) => hoverFrom(editor, position, current.current.schema)),
        writing.current.of([]),
        EditorView.updateListener.of(({ docChanged, transactions, state: { doc } }) => {
          if (docChanged && transactions.some((each) => each.annotation(Transaction.remote) !== true))
            current.current.onChange?.(doc.toString());
        }),
      ],
    });
    const made = withAdoptedStyles(() => new EditorView({ state, parent }));
    view.current = made;
    return () => {
      view.current = null;
      made.destroy();
    };
  }, []);

  useEffect(() => {
    view.current?.dispatch({ effects: writing.current.reconfigure(writingExtensions(label, readOnly)) });
  }, [label, readOnly]);

  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== value) editor.dispatch(replacement(editor.state, value));
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (editor?.state.doc.toString() === value)
      editor.dispatch(setDiagnostics(editor.state, diagnosticsFor(value, problems)));
  }, [value, problems]);

  return <div className="yaml-editor" ref={holder} />;
}

function writingExtensions(label: string, readOnly: boolean): Extension {
  return [
    EditorState.readOnly.of(readOnly),
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-multiline': 'true',
      tabindex: '0',
      ...(readOnly && { 'aria-readonly': 'true' }),
    }),
  ];
}

/** Only the middle that differs is replaced, so that cursor, folds and scrolling stay. */
function replacement(state: EditorState, next: string) {
  const before = state.doc.toString();
  let start = 0;
  while (start < before.length && before[start] === next[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, next.length) - start;
  while (end < most && before[before.length - 1 - end] === next[next.length - 1 - end]) end += 1;
  return {
    changes: { from: start, to: before.length - end, insert: next.slice(start, next.length - end) },
    annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(true)],
  };
}

function diagnosticsFor(text: string, problems: readonly Problem[]): Diagnostic[] {
  const { broken } = readYaml(text);
  if (broken) return [diagnostic(broken, broken.message)];
  return problems.map(({ path = [], document, message }) => diagnostic(placeOf(text, path, document), message));
}

const diagnostic = ({ from, to }: Pick<Broken, 'from' | 'to'>, message: string): Diagnostic => ({
  from,
  to,
  severity: 'error',
  message,
});
