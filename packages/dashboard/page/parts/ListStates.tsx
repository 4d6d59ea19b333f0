import { type FollowState, LOGIN_ENDED } from '../decisions/connection.ts';
import { instanceTrouble } from '../decisions/instanceTrouble.ts';
import { CreateLink } from './create/CreateLink.tsx';

const REMEDIES: Readonly<Record<number, string>> = {
  401: LOGIN_ENDED,
  404: 'Install KubeVirt or Vireo there, or start Vireo without --api-only.',
};

/** Why a list may not be what it should be; what was there before stays below it. */
export function ListProblem({ state, hasRows }: { readonly state: FollowState; readonly hasRows: boolean }) {
  if (state.kind === 'refused') {
    return (
      <div className="callout callout-err" role="alert">
        <strong>{state.code === 404 ? 'This server has no KubeVirt API.' : 'The list cannot be read.'}</strong>
        <p>{state.reason}</p>
        <p className="muted">
          {REMEDIES[state.code] ??
            'Choose a namespace that you have access to, or ask an administrator for the role view.'}
        </p>
      </div>
    );
  }
  if (state.kind !== 'waiting' || hasRows) return null;
  return (
    <div className="callout callout-err" role="alert">
      <strong>The server cannot be reached.</strong>
      <p>{state.reason}</p>
      <p className="muted">The page tries again by itself.</p>
    </div>
  );
}

/** Why machines lack what their instances would say. */
export function InstanceProblem({ vms, instances }: { readonly vms: FollowState; readonly instances: FollowState }) {
  const text = instanceTrouble(vms, instances);
  return text === undefined ? null : (
    <p className="callout callout-err" role="status">
      {text}
    </p>
  );
}

interface EmptyProps {
  readonly search: string;
  readonly onClear: () => void;
  readonly namespace: string | undefined;
}

/** An empty list says what belongs here, and how it gets here. */
export function EmptyList({ search, onClear, namespace }: EmptyProps) {
  if (search !== '') {
    return (
      <div className="empty">
        <h2>No machine matches “{search}”</h2>
        <button type="button" onClick={onClear}>
          Clear the search
        </button>
      </div>
    );
  }
  return (
    <div className="empty">
      <h2>No machines{namespace === undefined ? '' : ` in namespace ${namespace}`}</h2>
      <p>Virtual machines appear here as soon as they exist.</p>
      <p>
        <CreateLink />
      </p>
      <p>Or start the first one from a terminal:</p>
      <pre>
        <code>vireo launch --name web{namespace === undefined ? '' : ` -n ${namespace}`}</code>
      </pre>
    </div>
  );
}
