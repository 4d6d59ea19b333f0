import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { parsePort } from '../../../options.ts';
import { given } from '../connectionOptions.ts';
import { clusterCommand, parsePairs, repeated } from '../declare.ts';
import { refuseTogether } from '../together.ts';
import { type Asked, COMPONENTS } from '../verbosity.ts';

/** Objects around VMs: services, graphs, expanded specs, the installation. */
export function objectCommands(program: Command): void {
  exposeCommand(program);
  expandCommand(program);
  graphCommand(program);
  administrationCommands(program);
}

function exposeCommand(program: Command): void {
  clusterCommand(program, 'expose', 'create a Service for a VM')
    .description(
      'Creates a Service that leads to a VM, and prints the addresses at which it is reached. Without --port, uses the ' +
        'ports in the VM’s spec.',
    )
    .argument('<type>', 'resource type: vm, vmi, vmirs or vmpool')
    .argument('<name>', 'name of the VM, VMI or replica set')
    .requiredOption('--name <name>', 'name of the Service')
    .addOption(new Option('--port <number>', 'port of the Service').argParser(parsePort))
    .option('--target-port <port>', 'number or name of the VM’s port')
    .option('--port-name <name>', 'name of the port')
    .option('--protocol <protocol>', 'TCP or UDP', 'TCP')
    .option('--type <type>', 'ClusterIP, NodePort or LoadBalancer', 'ClusterIP')
    .option('--cluster-ip <address>', 'cluster IP of the Service; None for a headless Service')
    .option('--external-ip <address>', 'external IP of the Service')
    .option('--ip-family <families>', 'ipv4, ipv6, or both, separated by a comma')
    .option('--ip-family-policy <policy>', 'SingleStack, PreferDualStack or RequireDualStack')
    .addHelpText(
      'after',
      examples(
        ['vireo expose vm web --name=web --port=80', 'other VMs reach it as web'],
        [
          'vireo expose vm web --port=5555 --target-port=22 --name=web-ssh --type=NodePort',
          'ssh, on a port of every node',
        ],
        ['vireo expose vm web --name=web-public --port=80 --type=LoadBalancer', 'from outside, at port 80'],
      ),
    )
    .action(async (type: string, name: string, _, command) =>
      (await import('../expose/expose.ts')).expose(type, name, given(command)),
    );
}

function expandCommand(program: Command): void {
  clusterCommand(program, 'expand', 'print a VM with its instancetype and preference applied')
    .description('Prints a VM, from the server or a file, with its instancetype and preference applied.')
    .option('--vm <name>', 'name of a VM on the server')
    .option('-f, --file <file>', 'file that contains a VM; - for standard input')
    .option('-o, --output <format>', 'yaml or json', 'yaml')
    .addHelpText(
      'after',
      examples(['vireo expand --vm web', 'a VM on the server'], ['vireo expand -f web.yaml -o json', 'a VM in a file']),
    )
    .action(async (_, command) => {
      refuseTogether(command, ['file', 'vm']);
      await (await import('../expand.ts')).expand(given(command));
    });
}

function graphCommand(program: Command): void {
  clusterCommand(program, 'objectgraph', 'print the objects that a VM depends on')
    .description(
      'Prints the objects that a VM, a VMI or a replica set depends on, whether they exist, and whether they are optional.',
    )
    .argument(
      '<vm>',
      'name of the VM, or of the VMI with --vmi; or TYPE/NAME: vm/web, vmi/web, vmirs/workers, vmpool/desktops',
    )
    .option('--vmi', 'start from the VMI')
    .option('--exclude-optional', 'omit optional dependencies')
    .addOption(new Option('--selector <labels>', 'only objects with these labels: KEY=VALUE,…').argParser(parsePairs))
    .addOption(repeated('--kind <kind>', 'only objects of this kind; can be repeated'))
    .addOption(new Option('--depth <levels>', 'number of levels below the VM').argParser(parseLevels))
    .addOption(
      new Option('--format <form>', 'structure of JSON and YAML output: a tree or a flat list').choices([
        'tree',
        'hierarchical',
        'flat',
      ]),
    )
    .option('--include-secrets', 'with -o manifests: include Secrets')
    .option('--strict', 'fail without output if a required object is missing, forbidden or truncated')
    .option('-o, --output <format>', 'json, yaml, tree, flat, dot, mermaid or manifests', 'json')
    .addHelpText(
      'after',
      examples(
        ['vireo objectgraph web -o tree', 'as a tree, with missing objects in red'],
        ['vireo objectgraph web --selector kubevirt.io/dependency-type=storage', 'disks only'],
        ['vireo objectgraph vmirs/workers -o tree', 'of a replica set and its VMIs'],
        ['vireo objectgraph vmpool/desktops -o tree', 'of a pool and its VMs'],
        ['vireo objectgraph web -o manifests --include-secrets --strict', 'manifests to apply elsewhere, or an error'],
      ),
    )
    .action(async (vm: string, _, command) =>
      (await import('../objectgraph/objectGraph.ts')).objectGraph(vm, given(command)),
    );
}

function parseLevels(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a number of levels.');
  return Number(text);
}

function administrationCommands(program: Command): void {
  const adm = program
    .command('adm')
    .summary('administer the installation')
    .description('Administers the installation.')
    .addHelpText('after', examples(['vireo adm log-verbosity --all', 'show the log verbosity']));
  const verbosity = clusterCommand(adm, 'log-verbosity', 'show or set the log verbosity of components')
    .description(
      'Shows (--virt-api) or sets (--virt-api=5) the log verbosity of components, from 0 to 9. The default is 2.',
    )
    .addHelpText(
      'after',
      examples(
        ['vireo adm log-verbosity --all', 'show all components'],
        ['vireo adm log-verbosity --all=3 --virt-handler=7', 'set the verbosity'],
        ['vireo adm log-verbosity --reset', 'reset to the default'],
      ),
    );
  for (const name of [...Object.keys(COMPONENTS), 'all']) {
    verbosity.option(`--${name} [level]`, name === 'all' ? 'all components' : name);
  }
  verbosity
    .option('--reset', 'reset all components to the default')
    .action(async (_, command) =>
      (await import('../logVerbosity.ts')).logVerbosity(componentsIn(command.opts()), given(command)),
    );

  clusterCommand(program, 'permitted-devices', 'list the host devices that VMs can use')
    .description('Lists the host devices that VMs can use.')
    .addHelpText('after', examples(['vireo permitted-devices', 'list them']))
    .action(async (_, command) => (await import('../permittedDevices.ts')).permittedDevices(given(command)));
}

/** Commander names values in camel case; the components' own names have dashes. */
function componentsIn(values: Readonly<Record<string, unknown>>): Asked {
  const names = [...Object.keys(COMPONENTS), 'all', 'reset'];
  const camel = (name: string): string => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(names.map((name) => [name, values[camel(name)]]));
}
