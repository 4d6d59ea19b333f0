import { stringify } from 'yaml';
import { type GraphModel, type GraphObject, isProblem } from './graphModel.ts';

/** What the server answers when it is asked for manifests. */
export interface ManifestList {
  readonly kind?: string;
  readonly items?: readonly object[];
}

interface About {
  readonly machine: { readonly namespace: string; readonly name: string };
  readonly server: string | undefined;
  readonly at: string;
  readonly includesSecrets: boolean;
  /** What the server warned of. */
  readonly warnings: readonly string[];
}

/**
 * One YAML file with a document for each object, needed ones first, and comments that say what is not in it. The server
 * has removed what only the old cluster knows.
 */
export function manifestFile({ items = [] }: ManifestList, model: GraphModel, about: About): string {
  const documents = items.map((item) => stringify(item, { lineWidth: 0 }));
  return [comments(model, about), ...documents].join('---\n');
}

function comments(model: GraphModel, { machine, server, at, includesSecrets, warnings }: About): string {
  const objects = [...model.objects.values()];
  const missing = objects.filter(({ status }) => status === 'missing');
  const forbidden = objects.filter(({ status }) => status === 'forbidden');
  const secrets = includesSecrets
    ? []
    : objects.filter(({ kind, status }) => kind === 'Secret' && status === 'present');
  const named = [...missing, ...forbidden].map(placeOf);
  const lines = [
    `${machine.namespace}/${machine.name} and what it needs, exported from ${server ?? 'the cluster'} on ${at}.`,
    'Apply it with: kubectl apply -f FILE. The data of disks is not in it.',
    'Left out because they are made anew: pods, VMIs, volumes, snapshots and exports.',
    ...section('Missing: these objects did not exist', missing, model),
    ...section('Forbidden: you are not allowed to read these objects, they may exist', forbidden, model),
    ...section('Secrets are left out; create these by hand', secrets, model),
    ...warnings.filter((text) => !/is incomplete/.test(text) && !named.some((name) => text.includes(name))),
  ];
  return lines.map((line) => `# ${oneLine(line)}\n`).join('');
}

function section(title: string, objects: readonly GraphObject[], { links }: GraphModel): string[] {
  if (objects.length === 0) return [];
  return [
    `${title}:`,
    ...objects.map((object) => {
      const fields = links.filter(({ to }) => to === object.key).flatMap(({ fieldPaths }) => fieldPaths);
      const notes = [...fields, ...(object.status === 'missing' && !isProblem(object) ? ['optional'] : [])];
      return `  - ${placeOf(object)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
    }),
  ];
}

/** `Secret shop/keys`, as the server's warnings name it. */
const placeOf = ({ kind, namespace, name }: GraphObject): string =>
  `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;

/** Nothing that an object is called ends a comment. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ');

/** The texts of a `Warning` header, as Kubernetes writes them: `299 - "text", 299 - "text"`. */
export const warningsIn = (header: string | null): string[] =>
  [...(header ?? '').matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replaceAll(/\\(.)/g, '$1'),
  );
