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
export function Meter({ label, value, max, text, tone = 'busy' }: Props) {
  const percent = max > 0 ? Math.min(100, (100 * value) / max) : 0;
  return (
    <span className="meter" role="img" aria-label={`${label}: ${text}`}>
      <span className="meter-bar" aria-hidden="true">
        <span className={`meter-fill meter-${tone}`} style={{ width: `${percent}%` }} />
      </span>
      <span aria-hidden="true">{text}</span>
    </span>
  );
}
