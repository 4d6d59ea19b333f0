import { useEffect, useState } from 'react';
import type { RulesReview } from '../../data/accessKinds.ts';
import { ABILITIES } from '../../decisions/access/abilities.ts';
import { allows, rightsByKind } from '../../decisions/access/rules.ts';
import { useSession } from '../session.tsx';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';

/** What this user may do in a namespace, as the server says. */
export function MyRights({ namespace }: { readonly namespace: string }) {
  const { api, user } = useSession().session;
  const [review, setReview] = useState<RulesReview['status']>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const stop = new AbortController();
    const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } };
    api
      .request<RulesReview>('POST', REVIEWS, body, stop.signal)
      .then(({ status }) => setReview(status ?? {}))
      .catch(
        (error: unknown) => !stop.signal.aborted && setProblem(error instanceof Error ? error.message : String(error)),
      );
    return () => stop.abort();
  }, [api, namespace]);
  if (problem)
    return (
      <p className="callout callout-err" role="alert">
        The server does not say what you may do: {problem}
      </p>
    );
  if (!review) return null;
  const rules = review.resourceRules ?? [];
  return (
    <div className="stack">
      <section className="card" aria-label="With machines">
        <h2>{user}, with the machines of this namespace</h2>
        <ul className="checks">
          {ABILITIES.map(({ title, needs }) => {
            const isAble = needs.every((need) => allows(rules, need));
            return (
              <li key={title} className={isAble ? 'check-good' : 'check-neutral'}>
                <span className="check-icon" aria-hidden="true">
                  {isAble ? '✓' : '–'}
                </span>
                <span>
                  {title} <span className="muted">{isAble ? 'allowed' : 'not allowed'}</span>
                </span>
              </li>
            );
          })}
        </ul>
      </section>
      {review.incomplete && (
        <p className="callout">The server does not know all your rights: you may be able to do more than is shown.</p>
      )}
      <div className="list-scroll">
        <table className="list">
          <caption>
            <h2>All kinds</h2>
          </caption>
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col">You may</th>
            </tr>
          </thead>
          <tbody>
            {rightsByKind(rules).map(({ kind, verbs, names }) => (
              <tr key={`${kind} ${names.join(' ')}`}>
                <th scope="row">
                  {kind === '*.*' ? 'all kinds' : kind}
                  {names.length > 0 && <small className="muted list-about">only {names.join(', ')}</small>}
                </th>
                <td>{verbs.join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
