/** A line to copy into a terminal, and what it does. */
export interface Command {
  readonly title: string;
  readonly line: string;
}

interface Target {
  readonly namespace: string;
  readonly name: string;
  readonly isVm: boolean;
  /** Ports that the machine's cards list. */
  readonly ports: readonly number[];
  readonly hasService: boolean;
}

const SSH_PORT = 22;

/** Ready-made lines to reach a machine. */
export function commandsFor({ namespace, name, isVm, ports, hasService }: Target): Command[] {
  // The kubeconfig of whoever copies it may name another namespace.
  const there = ` -n ${namespace}`;
  const kind = isVm ? 'vm' : 'vmi';
  const port = ports.find((each) => each !== SSH_PORT) ?? 80;
  // Ports below 1024 need root on many hosts.
  const local = port < 1024 ? port + 8000 : port;
  return [
    { title: 'Log in by SSH', line: `vireo ssh ${name}${there}` },
    {
      title: `Forward localhost:${local} to its port ${port}`,
      line: `vireo port-forward ${kind}/${name} ${local}:${port}${there}`,
    },
    { title: 'Copy a file to it', line: `vireo scp ./file ${kind}/${name}:${there}` },
    ...(hasService || !isVm
      ? []
      : [
          {
            title: 'Make a Service that leads to it',
            line: `vireo expose vm ${name} --name ${name} --port ${port}${there}`,
          },
        ]),
  ];
}
