import { syntaxTree } from '@codemirror/language';
import { type Range, RangeSet } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

const mark = (name: string): Decoration => Decoration.mark({ class: `cm-yaml-${name}` });
const KEY = mark('key');
const TEXT = mark('text');
const LITERAL = mark('literal');
const COMMENT = mark('comment');
const REFERENCE = mark('reference');

/** Colours by what YAML makes of a value: the grammar itself does not tell a number from a text. */
export const colours = ViewPlugin.fromClass(
  class {
    marks: DecorationSet;
    constructor(view: EditorView) {
      this.marks = marksOf(view);
    }
    update({ view, docChanged, viewportChanged, startState, state }: ViewUpdate): void {
      if (docChanged || viewportChanged || syntaxTree(startState) !== syntaxTree(state)) this.marks = marksOf(view);
    }
  },
  { decorations: ({ marks }) => marks },
);

function marksOf(view: EditorView): DecorationSet {
  const found: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges)
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: ({ name, from: start, to: end, node }) => {
        const text = (): string => view.state.sliceDoc(start, end);
        const chosen = markFor(name, node.parent?.name === 'Key', text);
        if (chosen && end > start) found.push(chosen.range(start, end));
      },
    });
  return RangeSet.of(found, true);
}

function markFor(name: string, isKey: boolean, text: () => string): Decoration | undefined {
  switch (name) {
    case 'Comment':
      return COMMENT;
    case 'Literal':
      if (isKey) return KEY;
      return /^(true|false|null|~|[-+]?\d+(\.\d+)?)$/.test(text()) ? LITERAL : TEXT;
    case 'QuotedLiteral':
      return isKey ? KEY : TEXT;
    case 'BlockLiteralContent':
      return TEXT;
    case 'Anchor':
    case 'Alias':
    case 'Tag':
      return REFERENCE;
    default:
      return undefined;
  }
}
