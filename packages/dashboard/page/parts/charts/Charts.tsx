import { useMemo, useState } from 'react';
import { RANGE_MS, RANGES, type Range } from '../../../src/figures/history.ts';
import type { Told } from '../../../src/figures/service.ts';
import {
  CHARTS,
  type ChartSpec,
  hasValues,
  marksOf,
  missingText,
  RANGE_TITLES,
} from '../../decisions/charts/charts.ts';
import { formatTime } from '../../decisions/times.ts';
import type { TabProps } from '../../pages/Machine.tsx';
import '../../styles/charts.css';
import { Chart } from './Chart.tsx';
import { useColours } from './colours.ts';
import { FileSystems } from './FileSystems.tsx';
import type { Surroundings } from './plot.ts';
import { useMachineFigures } from './useFigures.ts';
import { ValueTable } from './ValueTable.tsx';

/** What a machine uses, live and over the last hours. */
export default function Charts({ machine, vmi }: TabProps) {
  const [range, setRange] = useState<Range>('live');
  const told = useMachineFigures(machine.namespace, machine.name, range, true);
  const hasAgent = vmi?.status?.conditions?.some(({ type, status }) => type === 'AgentConnected' && status === 'True');
  return (
    <div className="charts-page">
      <div className="charts-head">
        <div className="actions" role="group" aria-label="Range">
          {RANGES.map((each) => (
            <button key={each} type="button" aria-pressed={each === range} onClick={() => setRange(each)}>
              {RANGE_TITLES[each]}
            </button>
          ))}
        </div>
        <span className="muted">{told?.kind === 'machine' && originText(told.origin, range)}</span>
      </div>
      {told?.kind === 'problem' && (
        <div className="callout" role="status">
          <strong>There are no figures.</strong>
          <p>{told.reason}</p>
        </div>
      )}
      {!told && <p className="muted">Measuring…</p>}
      {told?.kind === 'machine' && (
        <Drawn told={told} range={range} {...{ machine, vmi, hasAgent: hasAgent ?? false }} />
      )}
      <section className="card" aria-label="File systems">
        <h2>File systems</h2>
        <FileSystems vmi={vmi} hasAgent={hasAgent ?? false} />
      </section>
    </div>
  );
}

interface DrawnProps extends Pick<TabProps, 'machine' | 'vmi'> {
  readonly told: Extract<Told, { kind: 'machine' }>;
  readonly range: Range;
  readonly hasAgent: boolean;
}

function Drawn({ told, range, machine, vmi, hasAgent }: DrawnProps) {
  const { columns, origin, nowMs, restartsMs } = told;
  const colours = useColours();
  const createdAt = vmi?.metadata.creationTimestamp;
  const shared = useMemo(() => {
    const fromMs = nowMs - RANGE_MS[range];
    return { fromMs, toMs: nowMs, marksMs: marksOf(restartsMs, createdAt, fromMs) };
  }, [nowMs, range, restartsMs, createdAt]);
  const around = useMemo(
    () => Object.fromEntries(CHARTS.map(({ key }) => [key, { ...shared, given: givenOf(key, machine) }])),
    [shared, machine],
  ) as Record<string, Surroundings>;
  const empty = (spec: ChartSpec): string =>
    machine.hasInstance ? missingText(spec.key, origin, hasAgent) : 'The machine is not running, and nothing is kept.';
  return (
    <>
      {shared.marksMs.length > 0 && (
        <p className="muted">
          <span className="swatch swatch-mark" aria-hidden="true" />
          Started: {shared.marksMs.map((ms) => formatTime(new Date(ms).toISOString())).join('; ')}
        </p>
      )}
      <div className="charts">
        {CHARTS.map((spec) => {
          const its = around[spec.key];
          return (
            <section key={spec.key} className="card" aria-label={spec.title}>
              <h2>{spec.title}</h2>
              {its && hasValues(spec, columns) ? (
                <Chart {...{ spec, columns, colours }} around={its} />
              ) : (
                <p className="muted">{empty(spec)}</p>
              )}
            </section>
          );
        })}
      </div>
      <ValueTable columns={columns} />
    </>
  );
}

const givenOf = (key: string, { cpus, memoryBytes }: DrawnProps['machine']): number | undefined =>
  key === 'cpu' ? cpus : key === 'memory' ? memoryBytes : undefined;

function originText(origin: 'guests' | 'launchers', range: Range): string {
  const from = origin === 'guests' ? '' : 'Of the launcher pod, which uses some more than the guest. ';
  return `${from}${range === 'live' ? 'Live.' : 'Kept only of times in which somebody looked.'}`;
}
