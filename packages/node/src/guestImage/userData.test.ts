import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const reader = join(import.meta.dirname, 'files/rootfs/usr/lib/vireo/yaml.awk');

/** What the guest's reader makes of a document. */
function read(document: string): Record<string, string> {
  const output = execFileSync('awk', ['-f', reader], { input: document, encoding: 'utf8' });
  const plain = (text: string) => text.replace(/\\(.)/g, (_, c) => ({ n: '\n', t: '\t' })[c as string] ?? c);
  const lines = output.split('\n').slice(0, -1);
  return Object.fromEntries(
    lines.map((line) => line.split('\t')).map(([path = '', value = '']) => [path, plain(value)]),
  );
}

/** The same from a full YAML parser, with every scalar as it is written. */
function flatten(value: unknown, path = ''): Record<string, string> {
  if (typeof value !== 'object' || value === null) return { [path]: value === null ? '' : String(value) };
  const below = (step: string) => (path === '' ? step : `${path}/${step}`);
  return Object.assign({}, ...Object.entries(value).map(([step, child]) => flatten(child, below(step))));
}

describe("the guest's YAML reader agrees with a full parser on", () => {
  it.each([
    ['mappings and comments', '#cloud-config\n# a comment\nhostname: web   # behind\n\nfqdn: web.example.com\n'],
    ['sequences at the same indentation', 'runcmd:\n- ls\n- echo a\nafter: x\n'],
    ['sequences further in', 'runcmd:\n  - ls\n  -   echo a\nafter: x\n'],
    ['mappings in sequences', 'users:\n  - default\n  - name: bob\n    groups: [a, b]\n  -\n    name: eve\n'],
    ['sequences in sequences', 'runcmd:\n  - - ls\n    - -la\n  - [sh, -c, "echo 1, 2"]\n'],
    ['flow mappings', 'chpasswd: { expire: false, list: ["a:b", \'c:d\'], users: [{name: x, password: y}] }\n'],
    ['flow over several lines', 'a: [1,\n  2,\n  {b: c}]\nd: e\n'],
    ['quotes', 'a: "x\\ty\\n\\u00e9\\"\\\\"\nb: \'it\'\'s\'\n"c d": e\nf: ""\n'],
    ['colons and hashes in values', 'a: http://x:80/y#z\nb: echo a#b\nc: "d # e"\n'],
    ['literal blocks', 'a: |\n  one\n    two # kept\n\n  three\nb: |-\n  end\nc: |+\n  kept\n\nd: e\n'],
    ['folded blocks', 'a: >\n  one\n  two\n\n  three\nb: >-\n  x\n  y\n'],
    ['blocks in sequences', 'w:\n- content: |\n    [section]\n    key: value\n  path: /x\n- |\n  multi\n  line\n'],
    ['plain scalars over several lines', 'a: one\n  two\n  three\nb: c\n'],
    ['null and empty values', 'a:\nb: ~\nc: null\nd: e\n'],
    [
      'JSON',
      '{"instance-id": "i-1", "keys": {"0": "ssh a"}, "list": [1, true, null, "x"], "nested": {"u": "http://a:1/b"}}',
    ],
    ['JSON over several lines', '{\n  "a": "b",\n  "c": [\n    "d",\n    {"e": "f"}\n  ]\n}\n'],
    ['document markers', '---\na: b\n'],
    ['carriage returns', 'a: b\r\nc:\r\n  - d\r\n'],
  ])('%s', (_, document) => {
    expect(read(document)).toEqual(flatten(parse(document)));
  });
});
