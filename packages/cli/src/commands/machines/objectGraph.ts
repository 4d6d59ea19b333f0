import { Failure } from '../../failure.ts';
import { actionPath, connected } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { toYaml } from './create/manifest.ts';
import { orFail } from './refusal.ts';

interface ObjectGraphOptions extends ConnectionOptions {
  readonly vmi?: boolean;
  readonly excludeOptional?: boolean;
  readonly selector?: Readonly<Record<string, string>>;
  readonly output: string;
}

/** Prints what a machine or an instance depends on. */
export async function objectGraph(name: string, options: ObjectGraphOptions): Promise<void> {
  const { vmi = false, excludeOptional = false, selector, output } = options;
  if (output !== 'json' && output !== 'yaml')
    throw new Failure(`unsupported output format: ${output} (must be 'json' or 'yaml')`);
  const kind = vmi ? 'VirtualMachineInstance' : 'VirtualMachine';
  await connected(options, async (connection) => {
    const path = actionPath(connection, vmi ? 'virtualmachineinstances' : 'virtualmachines', name, 'objectgraph');
    const body = {
      includeOptionalNodes: !excludeOptional,
      ...(selector && { labelSelector: { matchLabels: selector } }),
    };
    const graph = await orFail(
      connection,
      (why) => `error listing object graph of ${kind} ${name}: ${why}`,
      () => connection.client.call({ method: 'GET', path, body }),
    );
    if (output === 'json') console.log(JSON.stringify(graph, undefined, 2));
    else process.stdout.write(toYaml(graph));
  });
}
