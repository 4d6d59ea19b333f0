import { type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { clusterCommand } from '../declare.ts';
import { TYPES } from '../dns/types.ts';

/** What VMs are connected to, and the names by which they are reached. */
export function networkCommands(program: Command): void {
  networkCommand(program);
  dnsCommand(program);
}

function networkCommand(program: Command): void {
  clusterCommand(program, 'network', 'list networks, addresses, Services and policies')
    .description(
      'Lists the networks of a namespace, the addresses of its VMs, its Services and its NetworkPolicies, and says which ' +
        'Services lead nowhere, and why.\n' +
        'With the name of a VM: its addresses and names, the Services that lead to it, and the policies that restrict it.',
    )
    .argument('[vm]', 'name of a VM')
    .addOption(new Option('-A, --all-namespaces', 'list all namespaces'))
    .addOption(new Option('-o, --output <format>', 'output format').choices(['json', 'yaml']))
    .addHelpText(
      'after',
      examples(
        ['vireo network', 'in the current namespace'],
        ['vireo network web', 'what concerns one VM'],
        ['vireo network -A -o json', 'all namespaces, as JSON'],
      ),
    )
    .action(async (vm: string | undefined, _, command) => {
      const options = given<Parameters<typeof import('../network/network.ts')['network']>[1]>(command);
      if (vm !== undefined && options.allNamespaces)
        command.error('error: a VM is in one namespace: use -n instead of --all-namespaces');
      await (await import('../network/network.ts')).network(vm, options);
    });
}

function dnsCommand(program: Command): void {
  clusterCommand(program, 'dns', 'look up names as guests do')
    .description(
      'Looks up names and addresses as guests of a namespace do, with its search domains, and says who answered: the DNS ' +
        'server of the guests on this host, or the API where this host does not reach that server.\n' +
        'Without a name, prints how to make this host itself know the names. Only --setup and --remove change settings of ' +
        'the host.',
    )
    .argument('[host...]', 'names, short or full, or addresses')
    .addOption(new Option('-t, --type <type>', 'type of the records (default: addresses)').choices([...TYPES]))
    .addOption(new Option('--setup', 'make systemd-resolved on this host ask the DNS server of guests'))
    .addOption(new Option('--remove', 'undo --setup').conflicts('setup'))
    .addOption(new Option('-o, --output <format>', 'output format').choices(['json']))
    .addHelpText(
      'after',
      examples(
        ['vireo dns web', 'the Service web of the current namespace'],
        ['vireo dns web.lab 10.96.0.1', 'of another namespace; the name of an address'],
        ['vireo dns -t SRV _http._tcp.web', 'with its port'],
        ['vireo dns', 'how to make this host know the names'],
      ),
    )
    .action(async (names: string[], _, command) => {
      const options = given<Parameters<typeof import('../dns/dns.ts')['dns']>[1]>(command);
      if (names.length > 0 && (options.setup || options.remove))
        command.error('error: --setup and --remove take no names');
      await (await import('../dns/dns.ts')).dns(names, options);
    });
}
