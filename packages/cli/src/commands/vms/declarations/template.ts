import { type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { clusterCommand, parsePairs } from '../declare.ts';
import { refuseTogether } from '../together.ts';

/** KubeVirt's templates: VMs with parameters. */
export function templateCommands(program: Command): void {
  const template = program
    .command('template')
    .summary('process, create and convert VM templates')
    .description('Processes, creates and converts VirtualMachineTemplates of KubeVirt.')
    .addHelpText('after', examples(['vireo template process golden -p NAME=web --create', 'create a VM']));

  clusterCommand(template, 'process', 'print the VM that a template describes, or create it')
    .description('Prints the VM that a template describes, or creates it with --create.')
    .argument('[name]', 'name of a VirtualMachineTemplate on the server')
    .option('--name <name>', 'name of a VirtualMachineTemplate on the server')
    .option('-f, --file <file>', 'file that contains a VirtualMachineTemplate; - for standard input')
    .addOption(
      new Option('-p, --param <pairs>', 'values of parameters: KEY=VALUE,…; can be repeated').argParser(parsePairs),
    )
    .option('--params-file <file>', 'JSON or YAML file with values of parameters')
    .option('--local', 'process the template here instead of on the server')
    .option('--create', 'create the VM on the server')
    .option('--print-params', 'print the parameters of the template only')
    .option('-o, --output <format>', 'yaml or json', 'yaml')
    .addHelpText(
      'after',
      examples(
        ['vireo template process golden --print-params', 'see its parameters'],
        ['vireo template process golden -p NAME=web | kubectl apply -f -', 'create a VM by way of its manifest'],
        ['vireo template process -f golden.yaml --params-file values.yaml', 'a template in a file'],
      ),
    )
    .action(async (name: string | undefined, _, command) => {
      for (const pair of EXCLUSIVE) refuseTogether(command, pair);
      await (await import('../template/process.ts')).processCommand(name, given(command));
    });

  clusterCommand(template, 'create', 'create a template from a VM')
    .description('Creates a VirtualMachineTemplateRequest, from which a VirtualMachineTemplate of a VM is made.')
    .requiredOption('--vm-name <name>', 'name of the VM')
    .option('--vm-namespace <namespace>', 'namespace of the VM; default: the current one')
    .option('--name <name>', 'name of the template; default: that of the request')
    .addHelpText('after', examples(['vireo template create --vm-name web --name golden', 'make a template of a VM']))
    .action(async (_, command) => (await import('../template/create.ts')).createCommand(given(command)));

  clusterCommand(template, 'convert', 'convert an OpenShift template')
    .description('Converts a Template of OpenShift that contains one VM to a VirtualMachineTemplate, and prints it.')
    .requiredOption('-f, --file <file>', 'file that contains the Template; - for standard input')
    .option('-o, --output <format>', 'yaml or json', 'yaml')
    .addHelpText('after', examples(['vireo template convert -f old.yaml | kubectl apply -f -', 'convert and store it']))
    .action(async (_, command) => (await import('../template/convert.ts')).convertCommand(given(command)));
}

const EXCLUSIVE: readonly [string, string][] = [
  ['file', 'name'],
  ['file', 'local'],
  ['param', 'paramsFile'],
  ['create', 'file'],
  ['create', 'local'],
  ['create', 'printParams'],
];
