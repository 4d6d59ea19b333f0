import type { Columns } from '../../../src/figures/tier.ts';
import { CHARTS, formatFigure, tableRows } from '../../decisions/charts/charts.ts';
import { formatTime } from '../../decisions/times.ts';

const MOST_ROWS = 30;
const HEADS = CHARTS.flatMap(({ title, unit, lines }) => lines.map((line) => ({ ...line, title, unit })));

/** What the charts show as figures, for those who cannot see them or want to copy them. */
export function ValueTable({ columns }: { readonly columns: Columns }) {
  return (
    <details className="values">
      <summary>Values as a table</summary>
      <section className="values-scroll" aria-label="Values" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {HEADS.map(({ field, title, label }) => (
                <th key={field} scope="col">
                  {title}, {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {tableRows(columns, MOST_ROWS).map(({ ms, figures }) => (
              <tr key={ms}>
                <th scope="row">{formatTime(new Date(ms).toISOString())}</th>
                {HEADS.map(({ field, unit }) => (
                  <td key={field}>{formatFigure(figures[field], unit)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
