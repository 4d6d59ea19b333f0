import type { Domain, Rest } from './specParts.ts';

/** What a spec says, which field is blamed for it, and in which words. */
export type Refusal = [domain: Domain, rest: Rest, field: string, text: string | RegExp];
