import type { KubeObject } from '../../data/kinds.ts';
import { readYaml, toYaml, updateYaml } from '../yaml/text.ts';
import { isMapping } from '../yaml/values.ts';

/** A KeyPair of Harvester: a public key with a name. */
export interface KeyPair extends KubeObject {
  readonly spec?: { readonly publicKey?: string };
}

const HEADER = '#cloud-config';

/** The SSH keys that user data lists; undefined if it is none that keys can be added to. */
export function keysIn(userData: string): readonly string[] | undefined {
  if (userData.trim() === '' || userData.trim() === HEADER) return [];
  const { documents } = readYaml(userData);
  const [config = {}] = documents ?? [];
  if (!documents || !userData.startsWith(HEADER) || !isMapping(config)) return undefined;
  const keys = config.ssh_authorized_keys ?? [];
  return Array.isArray(keys) && keys.every((key) => typeof key === 'string') ? keys : undefined;
}

/** The user data with these keys instead; all else, and its comments, stay. */
export function withKeys(userData: string, keys: readonly string[]): string {
  const [config] = readYaml(userData).documents ?? [];
  const { ssh_authorized_keys: _, ...rest } = isMapping(config) ? config : {};
  const next = { ...rest, ...(keys.length > 0 && { ssh_authorized_keys: keys }) };
  if (Object.keys(next).length === 0) return `${HEADER}\n`;
  const text = isMapping(config) ? updateYaml(userData, [next]) : toYaml(next);
  return text.startsWith(HEADER) ? text : `${HEADER}\n${text}`;
}

const partsOf = (key: string): string => key.trim().split(/\s+/).slice(0, 2).join(' ');

/** Whether a list has this key, whatever comment is behind it. */
export const hasKey = (keys: readonly string[], key: string): boolean =>
  keys.some((each) => partsOf(each) === partsOf(key));

/** The list with the key, or without it. */
export const toggleKey = (keys: readonly string[], key: string): string[] =>
  hasKey(keys, key) ? keys.filter((each) => partsOf(each) !== partsOf(key)) : [...keys, key.trim()];
