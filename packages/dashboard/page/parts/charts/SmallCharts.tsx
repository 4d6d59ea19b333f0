import { Link } from 'wouter';
import { formatCores, newest } from '../../decisions/charts/charts.ts';
import type { Machine } from '../../decisions/machine.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import { Sparkline } from './Sparkline.tsx';
import { useMachineFigures } from './useFigures.ts';

/** CPU and memory of the last hour, small. */
export function SmallCharts({ machine }: { readonly machine: Machine }) {
  const { namespace, name, cpus, memoryBytes } = machine;
  const told = useMachineFigures(namespace, name, 'hour', false);
  return (
    <section className="card card-wide" aria-label="Use">
      <div className="small-head">
        <h2>Use</h2>
        <Link href={`/machines/${namespace}/${name}/metrics`}>All charts</Link>
      </div>
      {told?.kind === 'problem' && <p className="muted">{told.reason}</p>}
      {told?.kind === 'machine' && !told.isMeasured && (
        <p className="muted">{machine.hasInstance ? 'Nothing is measured yet.' : 'It is not running.'}</p>
      )}
      {!told && <p className="muted">Measuring…</p>}
      {told?.kind === 'machine' && told.isMeasured && (
        <div className="small-charts">
          <Small
            title="CPU, last hour"
            values={told.columns.values.cpuCores}
            most={cpus ?? 1}
            text={coresText(newest(told.columns, 'cpuCores'), cpus)}
          />
          <Small
            title="Memory, last hour"
            values={told.columns.values.memoryUsed}
            most={memoryBytes ?? 1}
            text={memoryText(newest(told.columns, 'memoryUsed'), memoryBytes)}
          />
        </div>
      )}
    </section>
  );
}

interface SmallProps {
  readonly title: string;
  readonly values: readonly (number | null)[] | undefined;
  readonly most: number;
  readonly text: string;
}

function Small({ title, values = [], most, text }: SmallProps) {
  return (
    <div>
      <span className="muted">{title}</span> <strong>{text}</strong>
      <Sparkline values={values} most={most} className="spark spark-large" />
    </div>
  );
}

const coresText = (used: number | null, given: number | undefined): string =>
  used === null ? 'measuring…' : `${formatCores(used)} of ${given ?? '?'} ${given === 1 ? 'core' : 'cores'}`;

const memoryText = (used: number | null, given: number | undefined): string =>
  used === null
    ? 'not reported by the guest'
    : `${formatBytes(used)}${given === undefined ? '' : ` of ${formatBytes(given)}`}`;
