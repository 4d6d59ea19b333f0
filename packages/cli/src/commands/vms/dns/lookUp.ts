import { isIP, isIPv4 } from 'node:net';
import { contains } from '@vireo/network';
import { candidates, isInDomain } from './names.ts';
import type { Ask, FoundRecord } from './sources.ts';
import type { RecordType } from './types.ts';

/** What came of looking a name up. */
export interface LookedUp {
  readonly asked: string;
  readonly records: readonly FoundRecord[];
  /** The name that was found, with the search domain that led to it. */
  readonly name?: string;
  /** Whether it is a name of the cluster. */
  readonly isOwn?: boolean;
  /** Names that do not exist, in the order in which they were tried. */
  readonly tried: readonly string[];
  /** Names that nobody could tell of, and why. */
  readonly unknown: readonly { readonly name: string; readonly why: string }[];
}

export interface Question {
  readonly asked: string;
  readonly namespace: string;
  readonly domain: string;
  /** Of the addresses of the cluster. */
  readonly ranges: readonly string[];
  readonly type?: RecordType | undefined;
}

/** Looks a name up as a guest of a namespace would: the first name that exists counts, whether it has such records or not. */
export async function lookUp({ asked, namespace, domain, ranges, type }: Question, ask: Ask): Promise<LookedUp> {
  const tried: string[] = [];
  const unknown: { name: string; why: string }[] = [];
  for (const name of candidates(asked.toLowerCase(), namespace, domain)) {
    const types: RecordType[] = type ? [type] : isIP(asked) ? ['PTR'] : ['A', 'AAAA', 'CNAME'];
    const records = new Map<string, FoundRecord>();
    let isThere = false;
    let why: string | undefined;
    for (const each of types) {
      // An alias is asked for where there is no address.
      if (each === 'CNAME' && types.length > 1 && records.size > 0) continue;
      const answer = await ask(name, each);
      if (answer.status === 'unknown') why = answer.why;
      if (answer.status !== 'found') break;
      isThere = true;
      for (const record of answer.records) records.set(`${record.type} ${record.data}`, record);
    }
    const isOwn = isIPv4(asked) ? ranges.some((range) => contains(range, asked)) : isInDomain(name, domain);
    if (isThere) return { asked, name, isOwn, records: [...records.values()], tried, unknown };
    if (why === undefined) tried.push(name);
    else unknown.push({ name, why });
  }
  return { asked, records: [], tried, unknown };
}
