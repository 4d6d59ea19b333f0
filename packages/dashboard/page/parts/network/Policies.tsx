import { useMemo } from 'react';
import { whole } from '../../data/kinds.ts';
import type { NetworkPolicy } from '../../data/networkKinds.ts';
import { type PolicyLine, podLabels, policiesFor } from '../../decisions/network/services.ts';
import type { TabProps } from '../../pages/Machine.tsx';
import { useCollection } from '../session.tsx';
import { Unreadable } from '../Unreadable.tsx';

/** The NetworkPolicies that restrict a machine, with what they allow. */
export function Policies({ machine, vm, vmi }: TabProps) {
  const policies = useCollection<NetworkPolicy, NetworkPolicy>(
    `/apis/networking.k8s.io/v1/namespaces/${encodeURIComponent(machine.namespace)}/networkpolicies`,
    whole,
  );
  const lines = useMemo(() => policiesFor(policies.rows, podLabels(vm, vmi)), [policies.rows, vm, vmi]);
  return (
    <section className="card" aria-label="NetworkPolicies">
      <h2>NetworkPolicies</h2>
      <Unreadable state={policies.state} what="NetworkPolicies" remedy="The role view includes them." />
      {policies.state.kind === 'live' && lines.length === 0 && (
        <p className="muted">No NetworkPolicy restricts the machine.</p>
      )}
      <ul className="network-list">
        {lines.map((line) => (
          <li key={line.name}>
            <strong>{line.name}</strong>
            <Direction word="Incoming" rules={line.ingress} />
            <Direction word="Outgoing" rules={line.egress} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Direction({ word, rules }: { readonly word: string; readonly rules: PolicyLine['ingress'] }) {
  if (!rules) return null;
  return (
    <span>
      <span className="muted">{word}:</span> {rules.length === 0 ? 'nothing is allowed' : `only ${rules.join('; ')}`}
    </span>
  );
}
