import { useState } from 'react';
import { MyRights } from '../parts/access/MyRights.tsx';
import { WhoMay } from '../parts/access/WhoMay.tsx';
import { useSession } from '../parts/session.tsx';
import '../styles/cluster.css';
import '../styles/access.css';

/** What the user may do, and who may do what with machines. */
export default function AccessPage() {
  const { session, namespace } = useSession();
  const [isOthers, setOthers] = useState(false);
  // Rules are asked for by namespace.
  const where = namespace ?? session.namespace ?? 'default';
  return (
    <section aria-label="Access">
      <div className="page-head">
        <h1>Access</h1>
        <span className="muted">
          in namespace {where}
          {namespace === undefined && ' (choose another one above)'}
        </span>
      </div>
      <div className="actions access-views" role="group" aria-label="View">
        <button type="button" aria-pressed={!isOthers} onClick={() => setOthers(false)}>
          What may I do
        </button>
        <button type="button" aria-pressed={isOthers} onClick={() => setOthers(true)}>
          Who may do what
        </button>
      </div>
      {isOthers ? <WhoMay key={where} namespace={where} /> : <MyRights key={where} namespace={where} />}
    </section>
  );
}
