import { type FormEvent, useId, useState } from 'react';
import {
  bindingFor,
  GRANTABLE,
  SUBJECT_KINDS,
  type SubjectKind,
  subjectFrom,
  subjectProblem,
} from '../../decisions/access/grants.ts';
import { offerOf } from '../../decisions/offers.ts';
import { useNotify } from '../Notices.tsx';
import { useMay, useSession } from '../session.tsx';

const GROUP = 'rbac.authorization.k8s.io';

/** Gives somebody a role in a namespace. The form keeps its contents if the server refuses. */
export function GiveRole({ namespace }: { readonly namespace: string }) {
  const { api, rights } = useSession().session;
  const may = useMay();
  const notify = useNotify();
  const id = useId();
  const [kind, setKind] = useState<SubjectKind>('User');
  const [who, setWho] = useState('');
  const [role, setRole] = useState('kubevirt.io:view');
  const [problem, setProblem] = useState<string>();
  const { isOffered, reason } = offerOf(may, { verb: 'create', group: GROUP, resource: 'rolebindings' }, namespace);

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isOffered) return;
    const mistake = subjectProblem(kind, who);
    setProblem(mistake);
    if (mistake) return;
    const path = `/apis/${GROUP}/v1/namespaces/${encodeURIComponent(namespace)}/rolebindings`;
    try {
      await api.request('POST', path, bindingFor(role, subjectFrom(kind, who, namespace), namespace));
      rights.forget();
      notify(`${who.trim()} has the role ${role} in ${namespace}.`);
      setWho('');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form className="card" aria-label="Give a role" onSubmit={(event) => void submit(event)}>
      <h2>Give a role in {namespace}</h2>
      <div className="grant">
        <div className="field">
          <label htmlFor={`${id}-kind`}>To a</label>
          <select id={`${id}-kind`} value={kind} onChange={(event) => setKind(event.target.value as SubjectKind)}>
            {SUBJECT_KINDS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor={`${id}-who`}>Name</label>
          <input
            id={`${id}-who`}
            value={who}
            spellCheck={false}
            autoComplete="off"
            aria-invalid={problem !== undefined}
            aria-describedby={`${id}-problem`}
            onChange={(event) => setWho(event.target.value)}
          />
          <span id={`${id}-problem`} className="field-error" role="alert">
            {problem}
          </span>
        </div>
        <div className="field">
          <label htmlFor={`${id}-role`}>Role</label>
          <select id={`${id}-role`} value={role} onChange={(event) => setRole(event.target.value)}>
            {GRANTABLE.map((each) => (
              <option key={each.role}>{each.role}</option>
            ))}
          </select>
          <span className="field-help">{GRANTABLE.find((each) => each.role === role)?.text}</span>
        </div>
        <div className="grant-button">
          <button type="submit" className="primary" aria-disabled={!isOffered} title={reason}>
            Give role
            {reason && <span className="visually-hidden">: {reason}</span>}
          </button>
        </div>
      </div>
    </form>
  );
}
