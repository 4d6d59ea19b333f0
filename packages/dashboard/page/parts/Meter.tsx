import '../styles/cluster.css';

interface Props {
  /** What is measured, for those who hear the page. */
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** The figures in words. */
  readonly text: string;
  readonly tone?: 'ok' | 'busy' | 'warn' | 'err';
}

/** A bar with its figures in words beside it. */
export function Meter({ label, text, ...figures }: Props) {
  return (
    <span className="meter" role="img" aria-label={`${label}: ${text}`}>
      <Bar {...figures} />
      <span aria-hidden="true">{text}</span>
    </span>
  );
}

/** The bar alone, beside words that say the same to those who hear the page. */
export function Bar({ value, max, tone = 'busy' }: Pick<Props, 'value' | 'max' | 'tone'>) {
  const percent = max > 0 ? Math.min(100, (100 * value) / max) : 0;
  return (
    <span className="meter-bar" aria-hidden="true">
      <span className={`meter-fill meter-${tone}`} style={{ width: `${percent}%` }} />
    </span>
  );
}
