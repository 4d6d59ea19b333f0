import { useId, useMemo, useState } from 'react';
import { ABILITIES, type Holder, whoMay } from '../../decisions/access/abilities.ts';
import { GiveRole } from './GiveRole.tsx';
import { Sources } from './Sources.tsx';
import { useKnown } from './useKnown.ts';

/** Who may do what with the machines of a namespace, or with one of them. */
export function WhoMay({ namespace }: { readonly namespace: string }) {
  const known = useKnown(namespace);
  const [machine, setMachine] = useState('');
  const field = useId();
  const { holders, unknownRoles } = useMemo(() => whoMay(known, machine.trim() || undefined), [known, machine]);
  return (
    <div className="stack">
      {known.unreadable.length > 0 && (
        <div className="callout" role="status">
          <strong>You cannot read {known.unreadable.join(', ')}.</strong>
          <p className="muted">There may be others who can do more than is shown here.</p>
        </div>
      )}
      <GiveRole namespace={namespace} />
      <div className="field">
        <label htmlFor={field}>Only for the machine</label>
        <input
          id={field}
          value={machine}
          placeholder="all machines of the namespace"
          spellCheck={false}
          onChange={(event) => setMachine(event.target.value)}
        />
      </div>
      <div className="list-scroll">
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Who</th>
              {ABILITIES.map(({ title }) => (
                <th scope="col" key={title}>
                  {title}
                </th>
              ))}
              <th scope="col">By</th>
            </tr>
          </thead>
          <tbody>
            {holders.map((holder) => (
              <Line key={holder.key} holder={holder} namespace={namespace} known={known} />
            ))}
            {holders.length === 0 && (
              <tr>
                <td colSpan={ABILITIES.length + 2} className="muted">
                  {known.isLoading ? '' : 'Nobody, as far as you can see.'}
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      {unknownRoles.length > 0 && !known.isLoading && (
        <p className="muted">What these roles allow cannot be seen: {unknownRoles.join(', ')}.</p>
      )}
    </div>
  );
}

interface LineProps {
  readonly holder: Holder;
  readonly namespace: string;
  readonly known: ReturnType<typeof useKnown>;
}

function Line({ holder: { subject, abilities, sources }, namespace, known }: LineProps) {
  return (
    <tr>
      <th scope="row">
        {subject.name}
        <small className="muted list-about">
          {subject.kind}
          {subject.namespace && ` of ${subject.namespace}`}
        </small>
      </th>
      {ABILITIES.map(({ title }, index) => (
        <td key={title}>
          {abilities[index] ? <span className="ability-yes">✓ yes</span> : <span className="muted">no</span>}
        </td>
      ))}
      <td>
        <Sources subject={subject} sources={sources} namespace={namespace} bindings={known.bindings} />
      </td>
    </tr>
  );
}
