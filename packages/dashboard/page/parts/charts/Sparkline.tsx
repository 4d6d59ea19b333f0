import { SPARK, sparkPath } from '../../decisions/charts/spark.ts';
import '../../styles/charts.css';

interface Props {
  readonly values: readonly (number | null)[];
  /** What the top stands for. */
  readonly most: number;
  readonly className?: string;
}

/** A line without axes. The figures stand beside it, so that those who hear the page miss nothing. */
export function Sparkline({ values, most, className = 'spark' }: Props) {
  return (
    <svg
      className={className}
      viewBox={`0 0 ${SPARK.width} ${SPARK.height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path d={sparkPath(values, most)} />
    </svg>
  );
}
