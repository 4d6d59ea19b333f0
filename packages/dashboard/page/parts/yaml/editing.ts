import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, indentUnit } from '@codemirror/language';
import { lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { theme } from './theme.ts';

/** How YAML is shown, whether or not it can be changed. */
export const viewingExtensions: Extension = [
  lineNumbers(),
  yaml(),
  theme,
  EditorView.lineWrapping,
  EditorState.tabSize.of(2),
];

/** Tab moves the focus on, as everywhere else in the page; Ctrl-] and Ctrl-[ indent. */
export const editingExtensions: Extension = [
  viewingExtensions,
  history(),
  foldGutter(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  highlightSelectionMatches(),
  bracketMatching(),
  closeBrackets(),
  indentUnit.of('  '),
  keymap.of([
    { key: 'Mod-]', run: indentMore },
    { key: 'Mod-[', run: indentLess },
    // The page's own: it creates, saves or applies.
    ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter'),
    ...closeBracketsKeymap,
    ...searchKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...completionKeymap,
    ...lintKeymap,
  ]),
];
