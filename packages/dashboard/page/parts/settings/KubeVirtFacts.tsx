import type { KubeVirt } from '../../data/kubevirtKinds.ts';
import { checksOf } from '../../decisions/conditions.ts';
import { Badge } from '../Badge.tsx';
import { CheckList } from '../CheckList.tsx';
import { Fact } from '../Fact.tsx';

/** What runs: phase, versions, hypervisors and conditions. */
export function KubeVirtFacts({ kubeVirt: { metadata, status } }: { readonly kubeVirt: KubeVirt }) {
  const { phase = 'unknown', hypervisors = [] } = status ?? {};
  return (
    <div className="cards">
      <section className="card" aria-label="KubeVirt">
        <div className="card-head">
          <h2>
            {metadata.namespace}/{metadata.name}
          </h2>
          <Badge tone={phase === 'Deployed' ? 'ok' : 'busy'}>{phase}</Badge>
        </div>
        <dl className="facts">
          <Fact name="Version">{status?.observedKubeVirtVersion ?? '–'}</Fact>
          <Fact name="Target version">{status?.targetKubeVirtVersion ?? '–'}</Fact>
          <Fact name="Operator">{status?.operatorVersion ?? '–'}</Fact>
          <Fact name="Registry">{status?.observedKubeVirtRegistry ?? '–'}</Fact>
          <Fact name="Architecture">{status?.defaultArchitecture ?? '–'}</Fact>
          <Fact name="Hypervisor">{status?.activeHypervisor ?? 'kvm'}</Fact>
          {hypervisors.map(({ name, nodes = [], ready, message }) => (
            <Fact key={`${name} ${ready}`} name={`Nodes ${ready === false ? 'without' : 'with'} ${name}`}>
              {nodes.join(', ') || 'none'}
              {ready === false && `: ${message ?? 'not ready'}`}
            </Fact>
          ))}
          <Fact name="Outdated guests">{status?.outdatedVirtualMachineInstanceWorkloads ?? 0}</Fact>
        </dl>
      </section>
      <section className="card" aria-label="Conditions">
        <h2>Conditions</h2>
        <CheckList checks={checksOf(status?.conditions)} />
      </section>
    </div>
  );
}
