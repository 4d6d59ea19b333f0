import { createHash } from 'node:crypto';
import { VERSION } from '../../version.ts';
import type { Entry, List } from './entries.ts';
import { protobufDocument } from './gnostic.ts';
import type { Form } from './negotiate.ts';
import type { Part } from './parts.ts';

const HEAD = {
  swagger: '2.0',
  info: { title: 'Kubernetes', version: VERSION.gitVersion },
  securityDefinitions: {
    BearerToken: { description: 'Bearer Token authentication', type: 'apiKey', name: 'authorization', in: 'header' },
  },
  security: [{ BearerToken: [] }],
};

/** The document in one form, as it is sent. */
export interface Written {
  readonly bytes: Buffer;
  readonly etag: string;
  /** As HTTP has it. */
  readonly lastModified: string;
  gzipped?: Promise<Buffer>;
}

/** Puts the parts together. */
export function writeDocument(form: Form, parts: readonly Part[]): Written {
  const entries = (list: List): Buffer[] => merged(parts, list).map((entry) => entry.bytes(form));
  const lists = { paths: entries('paths'), definitions: entries('definitions'), parameters: entries('parameters') };
  const bytes = form === 'json' ? jsonDocument(lists) : protobufDocument(HEAD, lists);
  const etag = `"${createHash('sha256').update(bytes).digest('hex').toUpperCase()}"`;
  return { bytes, etag, lastModified: new Date().toUTCString() };
}

/** Sorted by name. What comes first wins: no custom resource takes the name of a built-in schema. */
function merged(parts: readonly Part[], list: List): Entry[] {
  const entries = new Map<string, Entry>();
  for (const part of parts)
    for (const entry of part[list]) if (!entries.has(entry.name)) entries.set(entry.name, entry);
  return [...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function jsonDocument(lists: Readonly<Record<List, readonly Buffer[]>>): Buffer {
  const { swagger, info, securityDefinitions, security } = HEAD;
  const before = JSON.stringify({ swagger, info }).slice(0, -1);
  const after = JSON.stringify({ securityDefinitions, security }).slice(1);
  const comma = Buffer.from(',');
  const object = (name: List): Buffer[] => [
    Buffer.from(`,"${name}":{`),
    ...lists[name].flatMap((entry, i) => (i === 0 ? [entry] : [comma, entry])),
    Buffer.from('}'),
  ];
  return Buffer.concat([
    Buffer.from(before),
    ...object('paths'),
    ...object('definitions'),
    ...object('parameters'),
    Buffer.from(`,${after}`),
  ]);
}
