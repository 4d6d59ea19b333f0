import { type FormEvent, useState } from 'react';
import type { KubeObject } from '../data/kinds.ts';
import { useCollection, useMay, useSession } from './session.tsx';

const nameOf = ({ metadata }: KubeObject): string => metadata.name;

/** Chooses a namespace: from a list, for those who may list namespaces, or by its name. */
export function NamespacePicker() {
  const { namespace } = useSession();
  const may = useMay()({ verb: 'list', group: '', resource: 'namespaces' }, '');
  if (may === undefined) return <span className="namespace" />;
  return may ? <FromList /> : <ByName key={namespace} />;
}

function FromList() {
  const { session, namespace, setNamespace } = useSession();
  const { rows } = useCollection('/api/v1/namespaces', nameOf);
  const names = [...new Set([...rows, ...(namespace === undefined ? [] : [namespace])])].sort();
  return (
    <label className="namespace">
      <span>Namespace</span>
      <select value={namespace ?? ''} onChange={(event) => setNamespace(event.target.value || undefined)}>
        {session.namespace === undefined && <option value="">all</option>}
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

function ByName() {
  const { session, namespace, setNamespace } = useSession();
  const [text, setText] = useState(namespace ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setNamespace(text.trim() || session.namespace);
  };
  return (
    <form className="namespace" onSubmit={submit}>
      <label htmlFor="namespace">Namespace</label>
      <input
        id="namespace"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={submit}
        spellCheck={false}
      />
    </form>
  );
}
