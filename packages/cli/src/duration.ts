/** A duration as people say it: `40 ms`, `1.2 s`, `33 s`. */
export function formatDuration(ms: number): string {
  if (ms < 995) return `${Math.round(ms)} ms`;
  return ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}
