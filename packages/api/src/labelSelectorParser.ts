import { badRequest } from './errors.ts';
import type { Requirement } from './labelSelector.ts';

/** Words and signs of a selector. The end of the text is the empty word. */
function tokenize(text: string): string[] {
  const tokens = text.match(/[!=<>]=?|[(),]|[^\s!=<>(),]+/g) ?? [];
  return [...tokens.flatMap(splitSigns), ''];
}

/** `>=`, `<=` and the like are two signs that do not belong together. */
const splitSigns = (token: string): string[] => (/^([<>]=|!!)$/.test(token) ? [...token] : [token]);

const SIGNS = ['=', '==', '!=', '<', '>', '!', '(', ')', ','];
const isWord = (token: string): boolean => token !== '' && !SIGNS.includes(token);

/** The requirements of a selector's string form; the words themselves are not checked here. */
export function parseRequirements(text: string): Requirement[] {
  const tokens = tokenize(text);
  const requirements: Requirement[] = [];
  let at = 0;
  const next = (): string => tokens[at++] ?? '';
  const expected = (found: string, what: string) =>
    badRequest(`unable to parse requirement: found '${found}', expected: ${what}`);

  const parseValues = (): string[] => {
    const open = next();
    if (open !== '(') throw expected(open, "'('");
    const values: string[] = [];
    for (let token = next(); ; token = next()) {
      // An empty value is a value: `in (a,)` takes the empty label, too.
      const value = isWord(token) ? token : '';
      values.push(value);
      const end = value === '' ? token : next();
      if (end === ')') return [...new Set(values)].sort();
      if (end !== ',') throw expected(end, "',' or ')'");
    }
  };

  const parseRequirement = (): Requirement => {
    const first = next();
    if (first === '!') {
      const key = next();
      if (!isWord(key)) throw expected(key, 'identifier');
      return { key, operator: '!', values: [] };
    }
    const sign = tokens[at];
    if (sign === '' || sign === ',') return { key: first, operator: 'exists', values: [] };
    at++;
    if (sign === 'in' || sign === 'notin') return { key: first, operator: sign, values: parseValues() };
    const operator = sign === '==' ? '=' : sign;
    if (operator !== '=' && operator !== '!=' && operator !== '>' && operator !== '<') {
      throw expected(sign ?? '', '=, !=, ==, in, notin, >, <');
    }
    const value = isWord(tokens[at] ?? '') ? next() : '';
    return { key: first, operator, values: [value] };
  };

  if (tokens[0] === '') return [];
  for (;;) {
    const start = tokens[at] ?? '';
    if (!isWord(start) && start !== '!') {
      throw expected(start, requirements.length > 0 ? "identifier after ','" : "!, identifier, or 'end of string'");
    }
    requirements.push(parseRequirement());
    const end = next();
    if (end === '') return requirements;
    if (end !== ',') throw expected(end, "',' or 'end of string'");
  }
}
