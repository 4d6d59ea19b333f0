import { unifiedMergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import '../../styles/yaml.css';
import { viewingExtensions } from './editing.ts';
import { withAdoptedStyles } from './editorStyles.ts';

interface Props {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** Two texts in one: what goes in red, what comes in green, and little of what stays. */
export function YamlDiff({ label, before, after }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const parent = holder.current;
    if (!parent) return;
    const state = EditorState.create({
      doc: after,
      extensions: [
        viewingExtensions,
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        unifiedMergeView({
          original: before,
          mergeControls: false,
          collapseUnchanged: { margin: 3, minSize: 6 },
          syntaxHighlightDeletions: true,
        }),
      ],
    });
    const made = withAdoptedStyles(() => new EditorView({ state, parent }));
    return () => made.destroy();
  }, [label, before, after]);
  return <div className="yaml-editor yaml-diff" ref={holder} />;
}
