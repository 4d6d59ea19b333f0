import { parseAllDocuments, stringify } from 'yaml';
import { withSmallGuest } from './place.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Where a part of a VM's manifest belongs, by the key that it begins with. */
const PLACES: Readonly<Record<string, (part: Fields) => Fields>> = {
  spec: (part) => part,
  domain: (part) => ({ spec: { template: { spec: part } } }),
  volumes: (part) => ({ spec: { template: { spec: part } } }),
};

/** A VM to which parts are added. */
const VM: Fields = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'in-part' },
  spec: {
    runStrategy: 'Halted',
    template: { spec: { domain: { memory: { guest: '64Mi' }, devices: {} } } },
  },
};

/** The manifest that a block of YAML is, or is a part of, for `kubectl apply`; throws where it is neither. */
export function manifestOf(text: string): string {
  const documents = parseAllDocuments(text).map((document) => document.toJS() as Fields);
  return withSmallGuest(documents.map((document) => stringify(wholeOf(document))).join('---\n'));
}

function wholeOf(part: Fields): Fields {
  if ('apiVersion' in part) return part;
  const place = PLACES[Object.keys(part)[0] ?? ''];
  if (!place) throw new Error(`neither a manifest nor a part of a VM's: ${Object.keys(part)}`);
  return merge(VM, place(part)) as Fields;
}

function merge(base: unknown, more: unknown): unknown {
  if (!isFields(base) || !isFields(more)) return more;
  const keys = new Set([...Object.keys(base), ...Object.keys(more)]);
  return Object.fromEntries([...keys].map((key) => [key, key in more ? merge(base[key], more[key]) : base[key]]));
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
