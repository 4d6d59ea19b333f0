/** The name and the group of an operation, by Kubernetes' rules: generated clients call their methods after them. */

/** Letters and digits alone; whatever else stands there begins a new word. */
function joinWords(text: string, isCapitalized: boolean): string {
  let result = '';
  let capitalize = isCapitalized;
  for (const [i, character] of [...text].entries()) {
    if (!/[\p{L}_]/u.test(character) && (i === 0 || !/\d/.test(character))) {
      capitalize = true;
      continue;
    }
    result += capitalize ? character.toUpperCase() : character;
    capitalize = false;
  }
  return result;
}

const groupWord = (group: string): string => (group === '' ? 'core' : group.replace(/\.k8s\.io$/, ''));

/** `listCoreV1NamespacedPod` of `list`, the group, the version and `NamespacedPod`. */
export const operationId = (verb: string, group: string, version: string, rest: string): string =>
  [verb, joinWords(groupWord(group), true), joinWords(version, true), joinWords(rest, true)].join('');

/** `core_v1`. */
export const operationTag = (group: string, version = ''): string =>
  [joinWords(groupWord(group), false), ...(version ? [joinWords(version, false)] : [])].join('_');

/** `status` as a word of an operation's name. */
export const titled = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A noun with its article. */
export function withArticle(noun: string): string {
  if (/[^s]s$/.test(noun)) return noun;
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
