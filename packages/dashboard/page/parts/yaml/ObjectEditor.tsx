import { useMemo, useState } from 'react';
import type { KubeObject } from '../../data/kinds.ts';
import { forbiddenText } from '../../decisions/actions.ts';
import { changesBetween, editable } from '../../decisions/yaml/editable.ts';
import { toYaml } from '../../decisions/yaml/text.ts';
import { isEqual } from '../../decisions/yaml/values.ts';
import { useMay } from '../session.tsx';
import { Changes } from './Changes.tsx';
import { useDraft } from './drafts.ts';
import { ConflictReview, Review } from './Review.tsx';
import { useSaving } from './useSaving.ts';
import { useSchema } from './useSchema.ts';
import { YamlEditor } from './YamlEditor.tsx';

interface Props {
  /** As the server last told it; it may change while somebody types, which changes no text that was touched. */
  readonly object: KubeObject;
  readonly resource: string;
}

/** The YAML of an object, to be changed, reviewed and stored. */
export function ObjectEditor({ object, resource }: Props) {
  const { apiVersion = '', kind = '', metadata } = object;
  const { namespace = '', name, uid = name } = metadata;
  const permission = { verb: 'update', group: apiVersion.split('/')[0] ?? '', resource };
  const isForbidden = useMay()(permission, namespace) === false;
  const draft = useDraft(uid);
  const schema = useSchema(apiVersion, kind);
  const base = draft?.base ?? object;
  const stored = useMemo(() => toYaml(editable(object)), [object]);
  const text = draft?.text ?? stored;
  const { state, problems, change, review, apply, back, discard, rebase } = useSaving(
    `/apis/${apiVersion}/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}`,
    uid,
    base,
    text,
  );
  const [areOthersShown, setOthersShown] = useState(false);
  const others = useMemo(
    () =>
      draft && !isEqual(editable(draft.base), editable(object))
        ? changesBetween(editable(draft.base), editable(object))
        : [],
    [draft, object],
  );
  if (state.kind === 'review') return <Review {...{ name, state, apply, back }} before={toYaml(editable(base))} />;
  if (state.kind === 'conflict')
    return <ConflictReview {...{ name, state, rebase, discard, back }} base={editable(base)} />;
  const isBusy = state.kind === 'busy';
  const canReview = draft !== undefined && !isBusy && !isForbidden;
  return (
    <>
      <div className="yaml-head">
        <p className="muted" role="status">
          {isForbidden
            ? `Read-only. ${forbiddenText(permission, namespace)}`
            : draft
              ? 'Changed, not stored yet. The text is kept while you visit other tabs.'
              : 'Ctrl-Space offers fields; point at a field to read what it means.'}
        </p>
        {!isForbidden && (
          <div className="actions">
            <button type="button" aria-disabled={!draft || isBusy} onClick={() => draft && !isBusy && discard()}>
              Discard changes
            </button>
            <button type="button" className="primary" aria-disabled={!canReview} onClick={() => canReview && review()}>
              {isBusy ? 'Asking the server…' : 'Review'}
            </button>
          </div>
        )}
      </div>
      {others.length > 0 && (
        <div className="callout" role="status">
          Changed by others since you began.{' '}
          <button type="button" aria-expanded={areOthersShown} onClick={() => setOthersShown((before) => !before)}>
            {areOthersShown ? 'Hide' : 'Show'}
          </button>
          {areOthersShown && <Changes changes={others} />}
          <p className="muted">Your text stays as it is. Review merges both.</p>
        </div>
      )}
      {problems.length > 0 && (
        <div className="callout callout-err" role="alert">
          {problems.map(({ message }) => (
            <p key={message}>{message}</p>
          ))}
        </div>
      )}
      <YamlEditor
        label={`YAML of ${kind} ${name}`}
        value={text}
        onChange={(next) => change(next, stored)}
        schema={schema}
        readOnly={isForbidden}
        problems={problems}
      />
    </>
  );
}
