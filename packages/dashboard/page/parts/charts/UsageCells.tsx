import { memo } from 'react';
import { formatCores } from '../../decisions/charts/charts.ts';
import { NEARLY_FULL, shareOf } from '../../decisions/charts/spark.ts';
import { formatBytes } from '../../decisions/quantity.ts';
import { Sparkline } from './Sparkline.tsx';
import { useUsage } from './useFigures.ts';

interface Props {
  readonly machineKey: string;
  readonly given: number | undefined;
  /** Whether it runs: what it used before it stopped is not what it uses. */
  readonly isMeasured: boolean;
}

/** CPU of the last minutes, as a line from 0 to what was given. */
export const CpuSpark = memo(function CpuSpark({ machineKey, given, isMeasured }: Props) {
  const usage = useUsage(machineKey);
  if (!isMeasured || !usage || usage.spark.length === 0) return null;
  return <Sparkline values={usage.spark} most={given ?? 1} />;
});

/** Cores used of those given. */
export const CpuUse = memo(function CpuUse({ machineKey, given, isMeasured }: Props) {
  const used = useUsage(machineKey)?.figures.cpuCores;
  const text = given === undefined ? '–' : String(given);
  if (!isMeasured || used === undefined) return text;
  return <UseBar used={used} given={given} text={`${formatCores(used)} / ${text}`} what="cores used of those given" />;
});

/** Memory used of that given. What the guest does not report is not shown as 0. */
export const MemoryUse = memo(function MemoryUse({ machineKey, given, isMeasured }: Props) {
  const used = useUsage(machineKey)?.figures.memoryUsed;
  const text = given === undefined ? '–' : formatBytes(given);
  if (!isMeasured || used === undefined) return <span>{text}</span>;
  return <UseBar used={used} given={given} text={`${formatBytes(used)} / ${text}`} what="memory used of that given" />;
});

interface BarProps {
  readonly used: number;
  readonly given: number | undefined;
  readonly text: string;
  readonly what: string;
}

function UseBar({ used, given, text, what }: BarProps) {
  const percent = shareOf(used, given);
  return (
    <span className="use" title={percent === undefined ? what : `${what}: ${Math.round(percent)} %`}>
      <span>{text}</span>
      {percent !== undefined && (
        <span className="use-bar" aria-hidden="true">
          <span className={percent >= NEARLY_FULL ? 'use-high' : undefined} style={{ width: `${percent}%` }} />
        </span>
      )}
    </span>
  );
}
