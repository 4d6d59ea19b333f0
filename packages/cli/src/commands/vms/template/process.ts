import { randomInt } from 'node:crypto';
import { TEMPLATE_SUBRESOURCE_GROUP } from '@vireo/api/kinds/template/names.ts';
import { type Processed, processTemplate, TemplateError } from '@vireo/api/kinds/template/process.ts';
import {
  VirtualMachineTemplate,
  type VirtualMachineTemplateSpec,
} from '@vireo/api/kinds/template/virtualMachineTemplate.ts';
import { Failure } from '../../../failure.ts';
import { type Connection, connected } from '../connection.ts';
import type { ConnectionOptions } from '../connectionOptions.ts';
import { orFail } from '../refusal.ts';
import { print, readObject, requireFormat } from './files.ts';

interface ProcessOptions extends ConnectionOptions {
  readonly name?: string;
  readonly file?: string;
  readonly param?: Readonly<Record<string, string>>;
  readonly paramsFile?: string;
  readonly local?: boolean;
  readonly create?: boolean;
  readonly printParams?: boolean;
  readonly output: string;
}

/** Prints the VM that a template describes, from the server or a file. */
export async function processCommand(argument: string | undefined, options: ProcessOptions): Promise<void> {
  const { file, output, local, create, printParams } = options;
  if (argument && file) throw new Failure('only one of name or file can be provided');
  if (argument && options.name) throw new Failure('provide name either from positional argument or from flag');
  const name = argument ?? options.name;
  if (!file && !name) throw new Failure('name or file must be provided');
  requireFormat(output);
  const parameters = options.paramsFile
    ? textsIn(readObject(options.paramsFile, 'params file'))
    : (options.param ?? {});
  if (file) {
    const { spec } = readObject(file, 'VirtualMachineTemplate') as { spec?: VirtualMachineTemplateSpec };
    if (!spec?.virtualMachine)
      throw new Failure(`error decoding VirtualMachineTemplate: ${file} has no spec.virtualMachine`);
    return printParams ? print(spec.parameters ?? [], output) : show(processHere(spec, parameters), output);
  }
  await connected(options, async (connection) => {
    if (!printParams && !local) return show(await processThere(connection, name!, parameters, create ?? false), output);
    const { spec } = await read(connection, name!);
    if (printParams) print(spec.parameters ?? [], output);
    else show(processHere(spec, parameters), output);
  });
}

/** What is not a text is written as one: `cpu: 4`. */
const textsIn = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

function processHere(spec: VirtualMachineTemplateSpec, parameters: Readonly<Record<string, string>>): Processed {
  try {
    return processTemplate(spec, parameters, randomInt);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new Failure(`error processing VirtualMachineTemplate locally: ${error.field.field}: ${error.message}`);
  }
}

const read = (connection: Connection, name: string) =>
  orFail(
    connection,
    (why) => `error fetching remote VirtualMachineTemplate ${connection.namespace}/${name}: ${why}`,
    () => connection.client.of(VirtualMachineTemplate).get(name, { namespace: connection.namespace }),
  );

function processThere(
  connection: Connection,
  name: string,
  parameters: Readonly<Record<string, string>>,
  creates: boolean,
): Promise<Processed> {
  const { client, namespace } = connection;
  const what = creates ? 'creating VirtualMachine from' : 'processing';
  const path = [namespace, 'virtualmachinetemplates', name, creates ? 'create' : 'process'].map(encodeURIComponent);
  return orFail(
    connection,
    (why) => `error ${what} remote VirtualMachineTemplate ${namespace}/${name}: ${why}`,
    async () =>
      (await client.call({
        method: 'POST',
        path: `/apis/${TEMPLATE_SUBRESOURCE_GROUP}/v1beta1/namespaces/${path.join('/')}`,
        body: { parameters },
      })) as Processed,
  );
}

function show({ virtualMachine, message }: Processed, output: string): void {
  if (message) process.stderr.write(message.endsWith('\n') ? message : `${message}\n`);
  print(virtualMachine, output);
}
