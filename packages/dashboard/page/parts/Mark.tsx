/** Vireo's name with its sign. */
export function Mark() {
  return (
    <span className="mark">
      <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
        <rect width="32" height="32" rx="7" className="mark-field" />
        <path d="M8 9l8 15 8-15" className="mark-sign" />
      </svg>
      Vireo
    </span>
  );
}
