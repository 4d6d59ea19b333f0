/** What differs from run to run, and what stands for it. */
const VARIABLE: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(\.\d+)?Z\b/g, '<time>'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uid>'],
  [/\b(virt-launcher-\S+)-[a-z0-9]{5}\b/g, '$1-<random>'],
  [/\b[0-9a-f]{16,}\b/g, '<digest>'],
  [/\b\d+(\.\d+)? [kKMG]i?B\b/g, '<size>'],
  [/\b\d+(\.\d+)? (ms|s|min)\b/g, '<duration>'],
  [/(?<=^|\s)(\d+[smhd]){1,2}(?=\s|$)/g, '<age>'],
  [/(?<![\d.])\d+\.\d+\.\d+(?![\d.])/g, '<version>'],
  [/\b(pid|port) +\d+/g, '$1 <number>'],
  [/https:\/\/127\.0\.0\.1:\d+/g, 'https://127.0.0.1:<number>'],
  // The name of the host, and whether KVM can be used there.
  [/\b(node) +\S+, ready/g, '$1 <name>, ready'],
  [/^( *guests) .*$/g, '$1 <somehow>'],
  // Columns are as wide as what is in them.
  [/ {2,}/g, ' '],
];

const normal = (line: string): string =>
  VARIABLE.reduce((text, [pattern, name]) => text.replace(pattern, name), line.trimEnd());

/**
 * Whether a program printed what a page shows, but for times, ages, sizes, generated names and the like. A line `…` in
 * the page stands for any lines, or none, and `…` within a line for any text.
 */
export function isShown(shown: string, printed: string): boolean {
  return matches(shown.trim().split('\n').map(normal), printed.trim().split('\n').map(normal));
}

function matches([wanted, ...rest]: readonly string[], lines: readonly string[]): boolean {
  if (wanted === undefined) return lines.length === 0;
  if (wanted.trim() === '…')
    return Array.from({ length: lines.length + 1 }, (_, skipped) => lines.slice(skipped)).some((left) =>
      matches(rest, left),
    );
  const [line, ...others] = lines;
  return line !== undefined && lineMatches(wanted, line) && matches(rest, others);
}

/** Whether a line begins with the first part, ends with the last, and has the others in between, in their order. */
function lineMatches(wanted: string, line: string): boolean {
  const [first = '', ...rest] = wanted.split('…');
  const last = rest.pop();
  if (last === undefined) return line === first;
  if (!line.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = line.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return line.length - last.length >= at && line.endsWith(last);
}
