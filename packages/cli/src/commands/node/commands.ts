import { parseBootstrapToken } from '@vireo/kube/joining/bootstrapToken.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../../examples.ts';
import { roleKubeconfigOption } from '../../roles/options.ts';
import { addFenceCommands } from './fenceCommands.ts';
import type { JoinOptions } from './join.ts';
import type { NodeCommandOptions } from './node.ts';
import { withNodeOptions } from './options.ts';

/** `vireo node` and `vireo join`: this host as a node of a cluster. Their code is loaded when one of them runs. */
export function addNodeCommands(program: Command): void {
  const node = withNodeOptions(program.command('node').addOption(roleKubeconfigOption()))
    .addOption(
      new Option(
        '--beside-kubelet',
        'only offer the devices of VMs to the kubelet of this host and label its Node; no VMs run here (default ' +
          'kubeconfig: /etc/kubernetes/kubelet.conf)',
      ).conflicts('detach'),
    )
    .addOption(
      new Option(
        '--kubelet-directory <directory>',
        'where that kubelet looks for device plug-ins (default: /var/lib/kubelet/device-plugins)',
      ).implies({ besideKubelet: true }),
    )
    .summary('run this host as a node of a cluster')
    .description(
      'Runs this host as a node of a cluster that it has joined, until Ctrl-C, SIGTERM or `vireo down`. VMs keep ' +
        'running when the node stops, and the next `vireo node` resumes managing them; `vireo down` stops them.\n' +
        'A host that has not joined yet does so with an administrator’s kubeconfig: the node gets a token of its own, ' +
        'and with it two certificates, which it renews. The kubeconfig is used for nothing else.\n' +
        'On a Kubernetes cluster, the node is a virtual kubelet: it runs launcher pods of VMs and no containers.',
    )
    .addHelpText(
      'after',
      examples(
        ['vireo node', 'again, on a host that has joined'],
        ['vireo node --kubeconfig admin.conf', 'join an existing Kubernetes in one step'],
        ['vireo node --beside-kubelet', 'offer /dev/kvm to the kubelet of this host'],
      ),
    )
    .action(async (options: NodeCommandOptions) =>
      options.besideKubelet
        ? (await import('./besideKubelet.ts')).besideKubelet(options)
        : (await import('./node.ts')).node(options),
    );
  addFenceCommands(node);

  withNodeOptions(program.command('join'))
    .summary('join a cluster as a node')
    .description(
      'Joins the cluster of a Vireo or Kubernetes server as a node, and runs the node as `vireo node` does. ' +
        '`vireo token create` on the first host prints this command with everything it needs. The server is trusted ' +
        'only if the token has signed what it says, and its certificate authority has the given hash.\n' +
        'Run on a host that has joined before, it goes on with the certificates that the host has.',
    )
    .argument('<address>', 'address of the server: HOST:PORT')
    .addOption(
      new Option('--token <token>', 'token from `vireo token create`').env('VIREO_JOIN_TOKEN').argParser(parseToken),
    )
    .addOption(
      new Option('--ca-cert-hash <hash>', 'hash of the server’s certificate authority; can be repeated')
        .default([], 'any that the token has signed')
        .argParser(parseHash),
    )
    .addHelpText(
      'after',
      examples(
        ['vireo join 192.0.2.1:6443 --token abcdef.0123456789abcdef', 'in the foreground'],
        ['vireo join 192.0.2.1:6443 --token abcdef.0123456789abcdef -d', 'in the background'],
      ),
    )
    .action(async (address: string, options: Omit<JoinOptions, 'serverAddress'>) =>
      (await import('./join.ts')).join({ ...options, serverAddress: address }),
    );
}

function parseToken(text: string): NonNullable<JoinOptions['token']> {
  const token = parseBootstrapToken(text);
  if (!token) throw new InvalidArgumentError('Expected a token such as abcdef.0123456789abcdef.');
  return token;
}

function parseHash(text: string, before: readonly string[]): string[] {
  if (!/^sha256:[0-9a-f]{64}$/i.test(text))
    throw new InvalidArgumentError('Expected sha256: and 64 hexadecimal digits.');
  return [...before, text.toLowerCase()];
}
