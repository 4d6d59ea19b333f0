import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { parsePort } from '../../../options.ts';
import { given } from '../connectionOptions.ts';
import { machineCommand, parsePairs, repeated } from '../declare.ts';
import { refuseTogether } from '../together.ts';
import { type Asked, COMPONENTS } from '../verbosity.ts';

/** Objects around machines: services, graphs, expanded specs, the installation. */
export function objectCommands(program: Command): void {
  exposeCommand(program);
  expandCommand(program);
  graphCommand(program);
  administrationCommands(program);
}

function exposeCommand(program: Command): void {
  machineCommand(program, 'expose', 'make a service that leads to a virtual machine')
    .description(
      'Makes a Service with the labels of a machine as its selector. Without --port it has the ports that the machine names.',
    )
    .argument('<type>', 'what is exposed: vm, vmi or vmirs')
    .argument('<name>', 'its name')
    .requiredOption('--name <name>', 'name of the service')
    .addOption(new Option('--port <number>', 'port of the service').argParser(parsePort))
    .option('--target-port <port>', 'number or name of the port of the machine')
    .option('--port-name <name>', 'name of the port')
    .option('--protocol <protocol>', 'TCP or UDP', 'TCP')
    .option('--type <type>', 'ClusterIP, NodePort or LoadBalancer', 'ClusterIP')
    .option('--cluster-ip <address>', 'address of the service; None for none')
    .option('--external-ip <address>', 'another address that leads to the service')
    .option('--ip-family <families>', 'ipv4, ipv6, or both with a comma')
    .option('--ip-family-policy <policy>', 'SingleStack, PreferDualStack or RequireDualStack')
    .addHelpText(
      'after',
      examples([
        'vireo expose vm web --port=5555 --target-port=22 --name=web-ssh --type=NodePort',
        'ssh on every node',
      ]),
    )
    .action(async (type: string, name: string, _, command) =>
      (await import('../expose.ts')).expose(type, name, given(command)),
    );
}

function expandCommand(program: Command): void {
  machineCommand(program, 'expand', 'print a virtual machine with its instancetype and preference applied')
    .description(
      'Prints a virtual machine of the server or of a file with what its instancetype and preference add to it.',
    )
    .option('--vm <name>', 'machine of the server')
    .option('-f, --file <file>', 'file with a machine; - is standard input')
    .option('-o, --output <format>', 'yaml or json', 'yaml')
    .addHelpText(
      'after',
      examples(['vireo expand --vm web', 'of the server'], ['vireo expand -f web.yaml -o json', 'of a file']),
    )
    .action(async (_, command) => {
      refuseTogether(command, ['file', 'vm']);
      await (await import('../expand.ts')).expand(given(command));
    });
}

function graphCommand(program: Command): void {
  machineCommand(program, 'objectgraph', 'print what a virtual machine depends on')
    .description(
      'Prints the objects that a virtual machine, an instance or a replica set depends on, whether they are there, and whether it can do without them.',
    )
    .argument(
      '<vm>',
      'name of the machine, or of the instance with --vmi; or TYPE/NAME: vm/web, vmi/web, vmirs/workers',
    )
    .option('--vmi', 'start from the instance')
    .option('--exclude-optional', 'leave out what is not needed')
    .addOption(new Option('--selector <labels>', 'only objects with these labels: KEY=VALUE,…').argParser(parsePairs))
    .addOption(repeated('--kind <kind>', 'only objects of this kind; can be given more than once'))
    .addOption(new Option('--depth <levels>', 'how many levels below the machine').argParser(parseLevels))
    .addOption(
      new Option('--format <form>', 'form of json and yaml: tree with a root, or a list').choices([
        'tree',
        'hierarchical',
        'flat',
      ]),
    )
    .option('--include-secrets', 'with -o manifests: Secrets as well')
    .option('--strict', 'fail and print nothing where something needed is missing, forbidden or cut off')
    .option('-o, --output <format>', 'json, yaml, tree, flat, dot, mermaid or manifests', 'json')
    .addHelpText(
      'after',
      examples(
        ['vireo objectgraph web -o tree', 'for people; what is missing is red'],
        ['vireo objectgraph web --selector kubevirt.io/dependency-type=storage', 'disks only'],
        ['vireo objectgraph vmirs/workers -o tree', 'of a replica set, with its instances'],
        ['vireo objectgraph web -o manifests --include-secrets --strict', 'what to apply elsewhere, or an error'],
      ),
    )
    .action(async (vm: string, _, command) =>
      (await import('../objectgraph/objectGraph.ts')).objectGraph(vm, given(command)),
    );
}

function parseLevels(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a number of levels.');
  return Number(text);
}

function administrationCommands(program: Command): void {
  const adm = program
    .command('adm')
    .summary('administer the installation')
    .description('Administers the installation.')
    .addHelpText('after', examples(['vireo adm log-verbosity --all', 'how much is logged']));
  const verbosity = machineCommand(adm, 'log-verbosity', 'show or set how much components write to their logs')
    .description(
      'Shows (--virt-api) or sets (--virt-api=5) how much components write to their logs, from 0 to 9; 2 is the default.',
    )
    .addHelpText(
      'after',
      examples(
        ['vireo adm log-verbosity --all', 'show them all'],
        ['vireo adm log-verbosity --all=3 --virt-handler=7', 'set them'],
        ['vireo adm log-verbosity --reset', 'back to the default'],
      ),
    );
  for (const name of [...Object.keys(COMPONENTS), 'all']) {
    verbosity.option(`--${name} [level]`, name === 'all' ? 'of all components' : `of ${name}`);
  }
  verbosity
    .option('--reset', 'set all back to the default')
    .action(async (_, command) =>
      (await import('../logVerbosity.ts')).logVerbosity(componentsIn(command.opts()), given(command)),
    );

  machineCommand(program, 'permitted-devices', 'print which devices of nodes virtual machines may use')
    .description('Prints which devices of nodes virtual machines may use.')
    .addHelpText('after', examples(['vireo permitted-devices', 'list them']))
    .action(async (_, command) => (await import('../permittedDevices.ts')).permittedDevices(given(command)));
}

/** Commander names values in camel case; the components' own names have dashes. */
function componentsIn(values: Readonly<Record<string, unknown>>): Asked {
  const names = [...Object.keys(COMPONENTS), 'all', 'reset'];
  const camel = (name: string): string => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(names.map((name) => [name, values[camel(name)]]));
}
