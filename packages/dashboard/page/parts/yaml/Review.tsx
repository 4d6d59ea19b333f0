import { useMemo } from 'react';
import type { KubeObject } from '../../data/kinds.ts';
import { changesBetween, editable, valueText } from '../../decisions/yaml/editable.ts';
import { toYaml } from '../../decisions/yaml/text.ts';
import { pathText } from '../../decisions/yaml/values.ts';
import { Changes } from './Changes.tsx';
import type { SavingState } from './useSaving.ts';
import { YamlDiff } from './YamlDiff.tsx';

interface ReviewProps {
  readonly name: string;
  readonly state: SavingState & { kind: 'review' };
  readonly before: string;
  readonly apply: () => void;
  readonly back: () => void;
}

/** What the server would store, beside what it has: defaults that it adds are seen before they are there. */
export function Review({ name, state, before, apply, back }: ReviewProps) {
  const after = useMemo(() => toYaml(editable(state.outcome)), [state.outcome]);
  const isSame = before === after;
  return (
    <>
      <div className="yaml-head">
        <p role="status">
          {isSame
            ? 'Nothing would change: the server would store what it has already.'
            : 'The server accepts this. It would store what is green instead of what is red.'}
        </p>
        <div className="actions">
          <button type="button" onClick={back}>
            Back to editing
          </button>
          <button
            type="button"
            className="primary"
            aria-disabled={isSame || state.isApplying}
            onClick={() => !isSame && apply()}
          >
            {state.isApplying ? 'Storing…' : `Apply to ${name}`}
          </button>
        </div>
      </div>
      <YamlDiff label={`Changes of ${name}`} before={before} after={after} />
    </>
  );
}

interface ConflictProps {
  readonly name: string;
  readonly state: SavingState & { kind: 'conflict' };
  readonly base: unknown;
  readonly rebase: (theirs: KubeObject, value: unknown) => void;
  readonly discard: () => void;
  readonly back: () => void;
}

/** Somebody else stored a change first: what they changed, and what both changes make together. Nothing is stored yet. */
export function ConflictReview({ name, state: { theirs, merged }, base, rebase, discard, back }: ConflictProps) {
  const now = useMemo(() => editable(theirs), [theirs]);
  const changes = useMemo(() => changesBetween(base, now), [base, now]);
  return (
    <>
      <div className="callout" role="alert">
        <strong>{name} was changed by others since you began.</strong>
        <Changes changes={changes} />
        {merged.clashes.length === 0 ? (
          <p>Your changes touch other fields. Both are kept in the merge below.</p>
        ) : (
          <>
            <p>You both changed these. The merge below has your value:</p>
            <ul className="yaml-changes">
              {merged.clashes.map(({ path, mine, theirs: other }) => (
                <li key={pathText(path)}>
                  {pathText(path)}: yours {valueText(mine)}, theirs {valueText(other)}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      <div className="yaml-head">
        <p className="muted">What is stored now, and what the merge would make of it. Nothing is stored yet.</p>
        <div className="actions">
          <button type="button" onClick={back}>
            Back to editing
          </button>
          <button type="button" onClick={discard}>
            Discard mine
          </button>
          <button type="button" className="primary" onClick={() => rebase(theirs, merged.value)}>
            Continue with the merge
          </button>
        </div>
      </div>
      <YamlDiff label={`Merge of ${name}`} before={toYaml(now)} after={toYaml(merged.value)} />
    </>
  );
}
