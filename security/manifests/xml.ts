import { spawnSync } from 'node:child_process';

/** The XML of some case, by its name. */
export interface Document {
  readonly name: string;
  readonly xml: string;
}

/**
 * What each document is made of, whatever its texts: elements and the names of their attributes, in order. By xmllint,
 * for a parser of our own could err as our writer does. Undefined: not well-formed.
 */
export function skeletons(documents: readonly Document[]): (string | undefined)[] {
  const together = canonical(`<all>${documents.map(({ xml }) => `<case>${xml}</case>`).join('')}</all>`);
  const parts = together?.slice('<all>'.length, -'</all>'.length).split(/(?<=<\/case>)(?=<case>)/);
  // One that is broken breaks all of them, and one that closes another's element makes other cases of them.
  if (parts?.length === documents.length && documents.length > 0) return parts.map(skeleton);
  return documents.map(({ xml }) => {
    const alone = canonical(xml);
    return alone === undefined ? undefined : skeleton(`<case>${alone}</case>`);
  });
}

/** Canonical XML: quotes, angle brackets and ampersands in texts are all escaped. */
function canonical(xml: string): string | undefined {
  const { error, status, stdout } = spawnSync('xmllint', ['--c14n', '--nonet', '-'], {
    input: xml,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (error) throw new Error(`xmllint cannot be run: install libxml2-utils (${error.message})`);
  return status === 0 ? stdout.trim() : undefined;
}

const TAG = /<(\/?[\w:.-]+)((?:\s+[\w:.-]+="[^"]*")*)\s*>/g;
const ATTRIBUTE = /([\w:.-]+)="[^"]*"/g;

const skeleton = (xml: string): string =>
  [...xml.matchAll(TAG)]
    .map(([, name = '', attributes = '']) => [name, ...[...attributes.matchAll(ATTRIBUTE)].map(([, each]) => each)])
    .map((words) => words.join(' '))
    .join('\n');
