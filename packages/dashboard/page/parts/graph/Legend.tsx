/** What edges, letters and links mean. */
export function Legend() {
  return (
    <ul className="legend" aria-label="Legend">
      <li>
        <span className="legend-box" /> present
      </li>
      <li>
        <span className="legend-box legend-missing" /> missing
      </li>
      <li>
        <span className="legend-box legend-forbidden" /> not visible to you
      </li>
      <li>
        <span className="legend-line" /> optional
      </li>
      <li>
        <b className="legend-compute">C</b> compute
      </li>
      <li>
        <b className="legend-storage">S</b> storage
      </li>
      <li>
        <b className="legend-config">F</b> configuration
      </li>
      <li>
        <b className="legend-network">N</b> network
      </li>
    </ul>
  );
}
