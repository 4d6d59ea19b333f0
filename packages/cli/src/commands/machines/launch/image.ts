/** What `launch` is to make. */
export interface Launched {
  readonly image: string;
  /** Undefined: a random one. */
  readonly name?: string;
}

/** The small Linux that comes along. */
export const GUEST = 'vireo/guest';

/**
 * `launch`, `launch web`, `launch quay.io/containerdisks/fedora:41 web`. One word alone is an image when it looks like
 * one: names of machines have neither a slash nor a colon.
 */
export function launched(first: string | undefined, second: string | undefined): Launched {
  if (first === undefined) return { image: GUEST };
  if (second !== undefined) return { image: first, name: second };
  return /[/:]/.test(first) ? { image: first } : { image: GUEST, name: first };
}
