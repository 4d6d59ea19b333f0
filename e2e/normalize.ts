/**
 * What a program printed, with everything that differs from run to run taken out: ages, times, uids, versions. Columns
 * stay aligned as they were.
 */
export function normalize(text: string): string {
  return text
    .split('\n\n')
    .map(fixAges)
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

/** Writes `1s` for every age of a table, in a column of the same width whatever the ages were. */
function fixAges(table: string): string {
  const lines = table.split('\n');
  const header = lines[0] ?? '';
  for (const name of AGE_HEADERS) {
    const start = new RegExp(`(^| )${name}( |$)`).exec(header);
    if (!start) continue;
    const from = start.index + (start[1] as string).length;
    const after = /\S/.exec(header.slice(from + name.length));
    const to = after ? from + name.length + after.index : undefined;
    return lines
      .map((line, index) => {
        if (line.length < from) return line;
        const age =
          index === 0
            ? name
            : line
                .slice(from, to)
                .trim()
                .replace(/^(\d+[smhdy])+$/, '1s');
        return line.slice(0, from) + (to === undefined ? age : age.padEnd(name.length + 3) + line.slice(to));
      })
      .join('\n');
  }
  return table;
}
