/**
 * What a program printed, with everything that differs from run to run taken out: ages, times, uids, versions. Columns
 * stay aligned as they were.
 */
export function normalize(text: string): string {
  return text
    .split('\n\n')
    .map(fixAges)
    .map(fixEventAges)
    .join('\n\n')
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replaceAll(/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>')
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uid>')
    .replaceAll(/(resourceVersion"?: )"\d+"/g, '$1"<version>"')
    .replaceAll(/\bX509SHA256=[0-9a-f]{64}\b/g, 'X509SHA256=<hash>')
    .replaceAll(/\bkube-api-access-[a-z0-9]{5}\b/g, 'kube-api-access-<random>')
    .replaceAll(/^(\s*Resource Version:\s+)\d+$/gm, '$1<version>')
    .replaceAll(/^(Age:\s+)\w+$/gm, '$1<age>');
}

const AGE_HEADERS = ['AGE', 'LAST SEEN'];
const AGE = /(\d+[smhdy])+/;
const AGE_CELL = new RegExp(`^${AGE.source}( \\(x\\d+ over ${AGE.source}\\))?$`);

/** Writes `1s` for every age of a table, in a column that is as wide for every run. */
function fixAges(table: string): string {
  const lines = table.split('\n');
  const header = lines[0] ?? '';
  const name = AGE_HEADERS.find((candidate) => new RegExp(`(^| )${candidate}( |$)`).test(header));
  if (name === undefined) return table;
  const from = new RegExp(`(?<=^| )${name}(?= |$)`).exec(header)?.index ?? 0;
  const rest = /\S/.exec(header.slice(from + name.length));
  const to = rest ? from + name.length + rest.index : undefined;
  const cells = lines.map((line) => fixAge(line.slice(from, to).trimEnd()));
  const width = Math.max(...cells.map((cell) => cell.length)) + 3;
  return lines
    .map((line, index) => {
      const cell = cells[index] ?? '';
      return (
        line.slice(0, from) + (to === undefined || line.length <= from ? cell : cell.padEnd(width) + line.slice(to))
      );
    })
    .join('\n');
}

const fixAge = (cell: string): string => (AGE_CELL.test(cell) ? cell.replaceAll(new RegExp(AGE, 'g'), '1s') : cell);

/** The same for the events below `kubectl describe`. */
function fixEventAges(text: string): string {
  return text
    .replaceAll(/^( +Type +Reason +)Age +From/gm, '$1Age   From')
    .replaceAll(/^( +---- +------ +)---- +----/gm, '$1----  ----')
    .replaceAll(/^( +(?:Normal|Warning) +\w+ +)(?:\d+[smhdy])+(?: \(x\d+ over \w+\))? +/gm, '$1<age> ');
}
