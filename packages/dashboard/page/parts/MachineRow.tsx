import { Link } from 'wouter';
import type { Machine } from '../decisions/machine.ts';
import { Age } from './Age.tsx';
import { CpuSpark, CpuUse, MemoryUse } from './charts/UsageCells.tsx';
import { StateBadge } from './StateBadge.tsx';

interface Props {
  readonly machine: Machine;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly now: number;
  readonly withNamespace: boolean;
  readonly isSelected: boolean;
  readonly isFocused: boolean;
  readonly asked: string | undefined;
  readonly onToggle: () => void;
}

/** One machine of the list. */
export function MachineRow(props: Props) {
  const { machine, index, top, height, now, withNamespace, isSelected, isFocused, asked, onToggle } = props;
  const { namespace, name, cpus, memoryBytes, addresses, node, createdAt, needsRestart, isVm } = machine;
  const className = `row${isSelected ? ' selected' : ''}${isFocused ? ' focused' : ''}`;
  return (
    <div role="row" className={className} aria-rowindex={index + 2} style={{ top, height }}>
      <Cell name="check">
        <input type="checkbox" aria-label={`Select ${name}`} checked={isSelected} onChange={onToggle} />
      </Cell>
      <Cell name="state">
        <StateBadge state={machine.state} asked={asked} />
      </Cell>
      <Cell name="name">
        <Link href={`/machines/${namespace}/${name}`} title={name}>
          {name}
        </Link>
        {needsRestart && (
          <span className="small-mark" title="Changes take effect after a restart">
            restart required
          </span>
        )}
        {!isVm && (
          <span className="small-mark small-mark-plain" title="A VirtualMachineInstance without a VirtualMachine">
            instance
          </span>
        )}
        {withNamespace && <small className="muted">{namespace}</small>}
      </Cell>
      <Cell name="use">
        <CpuSpark machineKey={machine.key} given={cpus} />
      </Cell>
      <Cell name="cpu">
        <CpuUse machineKey={machine.key} given={cpus} />
      </Cell>
      <Cell name="memory">
        <MemoryUse machineKey={machine.key} given={memoryBytes} />
      </Cell>
      <Cell name="address">
        <span title={addresses.join(', ')}>{addresses[0] ?? '–'}</span>
        {addresses.length > 1 && <span className="muted"> +{addresses.length - 1}</span>}
      </Cell>
      <Cell name="node">
        <span title={node}>{node ?? '–'}</span>
      </Cell>
      <Cell name="age">
        <Age time={createdAt} now={now} />
      </Cell>
    </div>
  );
}

function Cell({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <span role="cell" className={`cell cell-${name}`}>
      {children}
    </span>
  );
}
