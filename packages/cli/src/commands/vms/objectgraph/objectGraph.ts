import { isReason } from '@vireo/api';
import type { ObjectGraphNode } from '@vireo/api/kinds/kubevirt/objectGraph.ts';
import { Failure } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import { type ActionResource, actionPath, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { toYaml } from '../create/manifest.ts';
import { orFail } from '../refusal.ts';
import { graphDot, graphMermaid } from './drawings.ts';
import { graphTable, graphTree } from './graphText.ts';

interface ObjectGraphOptions extends ConnectionOptions {
  readonly vmi?: boolean;
  readonly excludeOptional?: boolean;
  readonly selector?: Readonly<Record<string, string>>;
  readonly kind?: readonly string[];
  readonly depth?: number;
  readonly format?: string;
  readonly includeSecrets?: boolean;
  readonly strict?: boolean;
  readonly output: string;
}

const json = (answer: unknown): string => `${JSON.stringify(answer, undefined, 2)}\n`;

/** What is printed of the server's answer. */
const OUTPUTS: Readonly<Record<string, (answer: unknown) => string>> = {
  json,
  yaml: toYaml,
  tree: (answer) => graphTree(answer as ObjectGraphNode),
  flat: (answer) => graphTable(answer as ObjectGraphNode),
  dot: (answer) => graphDot(answer as ObjectGraphNode),
  mermaid: (answer) => graphMermaid(answer as ObjectGraphNode),
  manifests: toYaml,
};

/** What a graph can be of, by the names that kubectl takes. */
const ROOTS: Readonly<Record<string, { readonly kind: string; readonly resource: ActionResource }>> =
  Object.fromEntries(
    (
      [
        ['VirtualMachine', 'virtualmachines', 'vm', 'vms', 'virtualmachine'],
        ['VirtualMachineInstance', 'virtualmachineinstances', 'vmi', 'vmis', 'virtualmachineinstance'],
        [
          'VirtualMachineInstanceReplicaSet',
          'virtualmachineinstancereplicasets',
          'vmirs',
          'vmirss',
          'virtualmachineinstancereplicaset',
        ],
        ['VirtualMachinePool', 'virtualmachinepools', 'vmpool', 'vmpools', 'virtualmachinepool'],
      ] as const
    ).flatMap(([kind, resource, ...others]) => [resource, ...others].map((name) => [name, { kind, resource }])),
  );

/** `web`, `vm/web`, `vmi/web`, `vmirs/workers`, `vmpool/desktops`; a name alone is that of a VM, or of an instance with `--vmi`. */
export function rootOf(text: string, isVmi: boolean): { kind: string; resource: ActionResource; name: string } {
  const [type, name, ...rest] = text.includes('/') ? text.split('/') : [isVmi ? 'vmi' : 'vm', text];
  const root = Object.hasOwn(ROOTS, type?.toLowerCase() ?? '') ? ROOTS[type?.toLowerCase() ?? ''] : undefined;
  if (!root || !name || rest.length > 0)
    throw new Failure(
      `${text} is not an object with an object graph`,
      'Use NAME, vm/NAME, vmi/NAME, vmirs/NAME or vmpool/NAME.',
    );
  if (isVmi && root.kind !== 'VirtualMachineInstance')
    throw new Failure(`--vmi cannot be combined with ${text}`, 'Omit --vmi, or use vmi/NAME.');
  return { ...root, name };
}

/** Prints what a VM, an instance, a replica set or a pool depends on. */
export async function objectGraph(target: string, options: ObjectGraphOptions): Promise<void> {
  const { vmi = false, excludeOptional = false, selector, output, format } = options;
  const print = Object.hasOwn(OUTPUTS, output) ? OUTPUTS[output] : undefined;
  if (!print) {
    const known = Object.keys(OUTPUTS).map((each) => `'${each}'`);
    throw new Failure(
      `unsupported output format: ${output} (must be ${known.slice(0, -1).join(', ')} or ${known.at(-1)})`,
    );
  }
  if (format && output !== 'json' && output !== 'yaml')
    throw new Failure(`--format ${format} works only with -o json and -o yaml, not with -o ${output}`);
  const { kind, resource, name } = rootOf(target, vmi);
  await connected(options, async (connection) => {
    const path = actionPath(connection, resource, name, 'objectgraph');
    const body = {
      includeOptionalNodes: !excludeOptional,
      ...(selector && { labelSelector: { matchLabels: selector } }),
    };
    const answer = await orFail(
      connection,
      (why) => `error listing object graph of ${kind} ${name}: ${why}`,
      () => connection.client.call({ method: 'GET', path, query: queryOf(options), body }),
    ).catch((error: unknown) => {
      if (!(error instanceof Failure) || !isReason(error.cause, 'Conflict')) throw error;
      const hint = `To see the graph: ${programName} objectgraph ${target} -o tree. To print it anyway, omit --strict.`;
      throw new Failure(error.message, hint, { cause: error.cause });
    });
    process.stdout.write(print(answer));
  });
}

/** What KubeVirt's own servers do not know is asked only where it is wanted. */
const queryOf = ({ kind = [], depth, format, includeSecrets, strict, output }: ObjectGraphOptions) => ({
  ...(kind.length > 0 && { kinds: kind.join(',') }),
  ...(depth !== undefined && { depth }),
  ...(format && { format }),
  ...(output === 'manifests' && { output }),
  ...(includeSecrets && { includeSecrets: true }),
  ...(strict && { strict: true }),
});
