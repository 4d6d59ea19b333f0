import { memo } from 'react';
import { Link } from 'wouter';
import { isMeasured, type Machine } from '../decisions/machine.ts';
import { LiveAge } from './Age.tsx';
import { CpuSpark, CpuUse, MemoryUse } from './charts/UsageCells.tsx';
import { StateBadge } from './StateBadge.tsx';

interface Props {
  readonly machine: Machine;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly withNamespace: boolean;
  readonly isSelected: boolean;
  readonly isFocused: boolean;
  readonly asked: string | undefined;
  /** Both are the same functions from one drawing to the next. */
  readonly onToggle: (key: string) => void;
  readonly onMenu: (key: string, opener: HTMLElement) => void;
}

/** One machine of the list; drawn again only if it has changed itself. */
export const MachineRow = memo(function MachineRow(props: Props) {
  const { machine, index, top, height, withNamespace, isSelected, isFocused, asked, onToggle, onMenu } = props;
  const { namespace, name, cpus, memoryBytes, addresses, node, createdAt, needsRestart, isVm } = machine;
  const className = `row${isSelected ? ' selected' : ''}${isFocused ? ' focused' : ''}`;
  return (
    <div role="row" className={className} aria-rowindex={index + 2} style={{ top, height }}>
      <Cell name="check">
        <input
          type="checkbox"
          aria-label={`Select ${name}`}
          checked={isSelected}
          onChange={() => onToggle(machine.key)}
        />
      </Cell>
      <Cell name="state">
        <StateBadge state={machine.state} asked={asked} move={machine.move} />
      </Cell>
      <Cell name="name">
        <Link href={`/machines/${namespace}/${name}`} title={name}>
          {name}
        </Link>
        <span className={withNamespace ? 'name-marks under-name' : 'name-marks'}>
          {withNamespace && <small className="muted">{namespace}</small>}
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
        </span>
      </Cell>
      <Cell name="use">
        <CpuSpark machineKey={machine.key} isMeasured={isMeasured(machine)} given={cpus} />
      </Cell>
      <Cell name="cpu">
        <CpuUse machineKey={machine.key} isMeasured={isMeasured(machine)} given={cpus} />
      </Cell>
      <Cell name="memory">
        <MemoryUse machineKey={machine.key} isMeasured={isMeasured(machine)} given={memoryBytes} />
      </Cell>
      <Cell name="address">
        <span title={addresses.join(', ')}>{addresses[0] ?? '–'}</span>
        {addresses.length > 1 && <span className="muted"> +{addresses.length - 1}</span>}
      </Cell>
      <Cell name="node">
        <span title={node}>{node ?? '–'}</span>
      </Cell>
      <Cell name="age">
        <LiveAge time={createdAt} />
      </Cell>
      <Cell name="more">
        <button
          type="button"
          className="plain"
          aria-label={`Actions of ${name}`}
          aria-haspopup="menu"
          onClick={(event) => onMenu(machine.key, event.currentTarget)}
        >
          ⋯
        </button>
      </Cell>
    </div>
  );
});

function Cell({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <span role="cell" className={`cell cell-${name}`}>
      {children}
    </span>
  );
}
