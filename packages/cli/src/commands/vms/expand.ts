import { readFileSync } from 'node:fs';
import { parse, YAMLParseError } from 'yaml';
import { Failure } from '../../failure.ts';
import { actionPath, connected, SUBRESOURCES } from './connection.ts';
import type { ConnectionOptions } from './connectionOptions.ts';
import { toYaml } from './create/manifest.ts';
import { orFail } from './refusal.ts';

interface ExpandOptions extends ConnectionOptions {
  readonly vm?: string;
  readonly file?: string;
  readonly output: string;
}

/** Prints a VM with what its instancetype and preference add to it. */
export async function expand({ vm, file, output, ...options }: ExpandOptions): Promise<void> {
  if (!vm && !file) throw new Failure('error invalid arguments - VirtualMachine name or file must be provided');
  if (output !== 'yaml' && output !== 'json') throw new Failure(`error not supported output format defined: ${output}`);
  const given = file ? readVm(file) : undefined;
  const name = vm ?? given?.metadata?.name ?? '';
  await connected(options, async (connection) => {
    const { namespace } = connection;
    const expanded = await orFail(
      connection,
      (why) => `error expanding VirtualMachine - ${name} in namespace - ${namespace}: ${why}`,
      () =>
        connection.client.call(
          given
            ? {
                method: 'PUT',
                path: `${SUBRESOURCES}/namespaces/${encodeURIComponent(namespace)}/expand-vm-spec`,
                body: given,
              }
            : { method: 'GET', path: actionPath(connection, 'virtualmachines', name, 'expand-spec') },
        ),
    );
    process.stdout.write(output === 'json' ? `${JSON.stringify(expanded, undefined, 1)}\n` : toYaml(expanded));
  });
}

interface VmText {
  readonly metadata?: { readonly name?: string };
}

function readVm(file: string): VmText {
  const isInput = file === '-';
  let text: string;
  try {
    text = readFileSync(isInput ? 0 : file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    throw new Failure(isInput ? `error reading from stdin: ${why}` : `error reading file ${why}`);
  }
  try {
    const value: unknown = parse(text);
    if (typeof value === 'object' && value !== null) return value;
    throw new Failure(`error decoding VirtualMachine ${file} contains no object`);
  } catch (error) {
    if (error instanceof YAMLParseError) throw new Failure(`error decoding VirtualMachine ${error.message}`);
    throw error;
  }
}
