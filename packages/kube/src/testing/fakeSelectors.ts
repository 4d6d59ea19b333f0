import type { UnknownObject } from '@vireo/api';

const terms = (selector: string): [string, string][] =>
  selector === '' ? [] : selector.split(',').map((term) => term.split('=') as [string, string]);

/** Equality terms only: `app=web,tier=front`. */
export const matchesLabels = (selector: string, { metadata }: UnknownObject): boolean =>
  terms(selector).every(([name, value]) => metadata.labels?.[name] === value);

/** `metadata.name=…` and `metadata.namespace=…`. */
export const matchesFields = (selector: string, { metadata }: UnknownObject): boolean =>
  terms(selector).every(([path, value]) =>
    path === 'metadata.name' ? metadata.name === value : metadata.namespace === value,
  );
