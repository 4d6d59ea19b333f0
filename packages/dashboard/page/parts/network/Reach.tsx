import { useMemo } from 'react';
import { type KubeObject, whole } from '../../data/kinds.ts';
import type { EndpointSlice, Service } from '../../data/networkKinds.ts';
import { commandsFor } from '../../decisions/network/commands.ts';
import { podLabels, type ServiceLine, servicesFor } from '../../decisions/network/services.ts';
import type { TabProps } from '../../pages/Machine.tsx';
import { Badge } from '../Badge.tsx';
import { useCollection, useMay } from '../session.tsx';
import { Unreadable } from '../Unreadable.tsx';
import { CopyButton } from './CopyButton.tsx';

const LIST_NODES = { verb: 'list', group: '', resource: 'nodes' };

interface NodeObject extends KubeObject {
  readonly status?: { readonly addresses?: readonly { readonly type?: string; readonly address?: string }[] };
}

const addressOf = ({ status }: NodeObject): string | undefined =>
  status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;

/** How a machine is reached: lines for a terminal, and the Services that lead to it. */
export function Reach(props: TabProps) {
  // Most users may not list nodes: then node ports are told without addresses.
  const mayListNodes = useMay()(LIST_NODES, '') === true;
  return mayListNodes ? <ReachByNodes {...props} /> : <ReachList {...props} nodes={[]} />;
}

function ReachByNodes(props: TabProps) {
  const nodes = useCollection<NodeObject, string | undefined>('/api/v1/nodes', addressOf);
  return <ReachList {...props} nodes={nodes.rows.filter((each) => each !== undefined)} />;
}

function ReachList({ machine, vm, vmi, nodes }: TabProps & { readonly nodes: readonly string[] }) {
  const below = `namespaces/${encodeURIComponent(machine.namespace)}`;
  const services = useCollection<Service, Service>(`/api/v1/${below}/services`, whole);
  const slices = useCollection<EndpointSlice, EndpointSlice>(
    `/apis/discovery.k8s.io/v1/${below}/endpointslices`,
    whole,
  );
  const lines = useMemo(
    () => servicesFor(services.rows, slices.rows, podLabels(vm, vmi), machine.addresses, nodes),
    [services.rows, slices.rows, vm, vmi, machine.addresses, nodes],
  );
  const cards = (vmi?.spec ?? vm?.spec.template?.spec)?.domain?.devices?.interfaces ?? [];
  const commands = commandsFor({
    ...machine,
    ports: cards.flatMap(({ ports = [] }) => ports.map(({ port }) => port)),
    hasService: lines.length > 0,
  });
  return (
    <div className="network-pair">
      <section className="card" aria-label="Services">
        <h2>Services</h2>
        <Unreadable state={services.state} what="Services" remedy="The role view includes them." />
        {services.state.kind === 'live' && lines.length === 0 && (
          <p className="muted">No Service selects the machine: others reach it by its addresses only.</p>
        )}
        <ul className="network-list">
          {lines.map((line) => (
            <ServiceItem key={line.name} line={line} isOff={!machine.hasInstance} />
          ))}
        </ul>
      </section>
      <section className="card" aria-label="From a terminal">
        <h2>From a terminal</h2>
        <ul className="network-list">
          {commands.map(({ title, line }) => (
            <li key={line}>
              <span className="muted">{title}</span>
              <span className="copied">
                <code>{line}</code>
                <CopyButton text={line} what={line} />
              </span>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function ServiceItem({ line, isOff }: { readonly line: ServiceLine; readonly isOff: boolean }) {
  return (
    <li>
      <span className="network-name">
        <strong>{line.name}</strong> <span className="muted">{line.type}</span>{' '}
        {line.isReady ? (
          <Badge tone="ok">leads here</Badge>
        ) : (
          <Badge tone="warn">{isOff ? 'leads nowhere: the machine is off' : 'the machine is not ready'}</Badge>
        )}
      </span>
      <span className="muted">{line.ports.join(', ') || 'no ports'}</span>
      {line.addresses.map(({ from, address }) => (
        <span key={address} className="copied">
          <code>{address}</code>
          {!address.startsWith('NODE:') && <CopyButton text={address} what={`address ${address}`} />}
          <small className="muted">{from}</small>
        </span>
      ))}
    </li>
  );
}
