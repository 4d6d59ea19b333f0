import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { colours } from './colours.ts';

/** Our colours, which know light and dark themselves; CodeMirror's own switch is not used. */
const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent)',
  },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', borderRight: '1px solid var(--border)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
  '.cm-activeLineGutter': { color: 'var(--text)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--busy-tint)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--sunken)', border: 'none', color: 'var(--muted)' },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius)',
  },
  '.cm-panels input, .cm-panels button, .cm-textfield, .cm-button': {
    backgroundColor: 'var(--surface)',
    backgroundImage: 'none',
    color: 'var(--text)',
    border: '1px solid var(--edge)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionDetail': { color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-completionInfo, .cm-field-help': { maxWidth: '360px', padding: '8px 12px', fontFamily: 'system-ui, sans-serif' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--err)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--err)',
    textUnderlineOffset: '3px',
  },
  '.cm-yaml-key': { color: 'var(--accent)' },
  '.cm-yaml-text': { color: 'var(--ok)' },
  '.cm-yaml-literal': { color: 'var(--paused)' },
  '.cm-yaml-comment': { color: 'var(--muted)', fontStyle: 'italic' },
  '.cm-yaml-reference': { color: 'var(--warn)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warn-tint)', outline: '1px solid var(--warn)' },
  '.cm-changedLine, &.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--ok-tint)' },
  '&.cm-merge-b .cm-changedText, .cm-changedText': {
    background: 'none',
    boxShadow: 'inset 0 -2px 0 var(--ok)',
  },
  '.cm-insertedLine, .cm-deletedLine, .cm-deletedLine del': { textDecoration: 'none' },
  '.cm-changedLine .cm-yaml-key, .cm-changedLine .cm-yaml-text, .cm-changedLine .cm-yaml-literal': {
    color: 'var(--text)',
  },
  '.cm-deletedChunk': { backgroundColor: 'var(--err-tint)' },
  '.cm-deletedChunk .cm-deletedText': { background: 'none', boxShadow: 'inset 0 -2px 0 var(--err)' },
  '.cm-changeGutter': { width: '4px', paddingLeft: '0' },
  '.cm-changedLineGutter': { background: 'var(--ok)' },
  '.cm-deletedLineGutter': { background: 'var(--err)' },
  '.cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--muted)' },
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"⋯"' },
});

export const theme: Extension = [look, colours];
