import { type FormEvent, useEffect, useId, useState } from 'react';
import type { Scale } from '../../data/setKinds.ts';
import { offerOf } from '../../decisions/offers.ts';
import { type Owner, parseReplicas, scaleObstacle, scalePermission } from '../../decisions/sets/scale.ts';
import { type SetKind, type SetRow, setPath } from '../../decisions/sets/set.ts';
import { useMay, useSession } from '../session.tsx';

interface Props {
  readonly kind: SetKind;
  readonly set: SetRow;
  readonly owner: Owner | undefined;
}

/** − number + and Apply, by the scale subresource. What is typed stays while others change the number. */
export function ScaleControl({ kind, set, owner }: Props) {
  const { api } = useSession().session;
  const may = useMay();
  const field = useId();
  const [text, setText] = useState(String(set.desired));
  const [problem, setProblem] = useState<string>();
  const [isTouched, setTouched] = useState(false);
  useEffect(() => {
    if (!isTouched) setText(String(set.desired));
  }, [set.desired, isTouched]);

  const offer = offerOf(may, scalePermission(kind), set.namespace, scaleObstacle(set, owner));
  const replicas = parseReplicas(text);
  const isReady = offer.isOffered && replicas !== undefined && replicas !== set.desired;
  const change = (next: string): void => {
    setText(next);
    setTouched(true);
    setProblem(undefined);
  };
  const step = (by: number): void => change(String(Math.max(0, (replicas ?? set.desired) + by)));

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isReady) return;
    const path = `${setPath(kind, set.namespace, set.name)}/scale`;
    try {
      const before = await api.request<Scale>('GET', path);
      const now = before.spec?.replicas ?? 0;
      if (now !== set.desired) throw new Error(`Somebody has set it to ${now} meanwhile. Look again, and apply.`);
      await api.request('PUT', path, { ...before, spec: { ...before.spec, replicas } });
      setTouched(false);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <div className="scale" title={offer.reason}>
        <div className="field">
          <label htmlFor={field}>Replicas wanted</label>
          <div className="actions">
            <button
              type="button"
              className="step"
              aria-label="One less"
              aria-disabled={!offer.isOffered || replicas === 0}
              onClick={() => offer.isOffered && step(-1)}
            >
              −
            </button>
            <input
              id={field}
              inputMode="numeric"
              value={text}
              readOnly={!offer.isOffered}
              aria-describedby={`${field}-help`}
              aria-invalid={replicas === undefined}
              onChange={(event) => change(event.target.value)}
            />
            <button
              type="button"
              className="step"
              aria-label="One more"
              aria-disabled={!offer.isOffered}
              onClick={() => offer.isOffered && step(1)}
            >
              +
            </button>
            <button type="submit" className="primary" aria-disabled={!isReady}>
              Apply
            </button>
          </div>
        </div>
      </div>
      <p id={`${field}-help`} className="muted">
        {offer.reason ?? (replicas === undefined ? 'A whole number, from 0 on.' : '')}
      </p>
      {owner?.problem && <p className="problem">The autoscaler cannot work: {owner.problem}</p>}
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
