import { JSON_TYPE } from '../../decode/body.ts';

export type Form = 'json' | 'protobuf';

const PROTOBUF_TYPES = [
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
] as const;

/** What each form is called in the answer. */
export const CONTENT_TYPES: Readonly<Record<Form, string>> = { json: JSON_TYPE, protobuf: PROTOBUF_TYPES[1] };

/** The form that a client wants most; JSON where it takes anything. Undefined: none that there is. */
export function formFor(accept = '*/*'): Form | undefined {
  const wishes = (accept || '*/*').split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return { type, quality: Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1) };
  });
  for (const { type, quality } of wishes.toSorted((a, b) => b.quality - a.quality)) {
    if (quality === 0) continue;
    if (type === JSON_TYPE || type === 'application/*' || type === '*/*') return 'json';
    if ((PROTOBUF_TYPES as readonly string[]).includes(type)) return 'protobuf';
  }
  return undefined;
}

/** Whether a client has the document already. */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch?.split(',').some((known) => [etag, '*'].includes(known.trim().replace(/^W\//, ''))) ?? false;

export const takesGzip = (acceptEncoding = ''): boolean =>
  acceptEncoding.split(',').some((coding) => /^\s*gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/i.test(coding));
