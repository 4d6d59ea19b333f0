import type { NodeObject } from '../../data/nodeKinds.ts';
import { devicesOf, hypervisorText, type NodeRow } from '../../decisions/nodes/node.ts';
import type { Usage } from '../../decisions/nodes/usage.ts';
import { Fact } from '../Fact.tsx';
import { CpuMeter, MemoryMeter } from './NodeList.tsx';

interface Props {
  readonly object: NodeObject;
  readonly node: NodeRow;
  readonly usage: Usage;
}

/** What a node is and has. */
export function NodeFacts({ object, node, usage }: Props) {
  const { nodeInfo, addresses = [] } = object.status ?? {};
  const devices = devicesOf(object);
  const taints = object.spec?.taints ?? [];
  return (
    <section className="card" aria-label="Facts">
      <h2>Facts</h2>
      <dl className="facts">
        <Fact name="Hypervisor">{hypervisorText(node)}</Fact>
        <Fact name="CPU given">
          <CpuMeter node={node} usage={usage} />
        </Fact>
        <Fact name="Memory given">
          <MemoryMeter node={node} usage={usage} />
        </Fact>
        <Fact name="Devices">
          {devices.length === 0 && 'none'}
          <ul>
            {devices.map(({ name, allocatable, capacity }) => (
              <li key={name}>
                {name}: {allocatable === capacity ? allocatable : `${allocatable} of ${capacity}`}
              </li>
            ))}
          </ul>
        </Fact>
        <Fact name="Addresses">{addresses.map(({ address, type }) => `${address} (${type})`).join(', ') || '–'}</Fact>
        <Fact name="Version">{node.version}</Fact>
        <Fact name="System">
          {[nodeInfo?.osImage, nodeInfo?.kernelVersion, nodeInfo?.architecture].filter(Boolean).join(', ') || '–'}
        </Fact>
        <Fact name="Runtime">{nodeInfo?.containerRuntimeVersion ?? '–'}</Fact>
        <Fact name="Taints">
          {taints.length === 0 && 'none'}
          <ul>
            {taints.map(({ key, value, effect }) => (
              <li key={`${key} ${effect}`}>
                {key}
                {value ? `=${value}` : ''}:<wbr />
                {effect}
              </li>
            ))}
          </ul>
        </Fact>
      </dl>
    </section>
  );
}
