import { countOfVms } from './shutdownText.ts';

/** What a server can be used for, and how. */
export interface Ready {
  readonly port: number;
  readonly kubeconfig: string;
  readonly home: string;
  readonly duration: string;
  /** How the user calls this program. */
  readonly command: string;
  /** How many guests of an earlier start run. */
  readonly guests: number;
  /** Whether it goes on in the background. */
  readonly isDetached?: boolean;
  /** Missing where the server runs no VMs. */
  readonly vms?: {
    /** A manifest to begin with. */
    readonly manifest: string;
    /** Why guests are emulated; missing where KVM runs them. */
    readonly emulatedBecause?: string;
    /** Why guests have no addresses of their own; missing where they have. */
    readonly userNetworkBecause?: string;
    readonly isGuestImageBuilt: boolean;
    /** Plug-ins of hypervisors that were not taken, with the reasons. */
    readonly unusedPlugins?: readonly string[];
  };
}

/** What `vireo up` says once the server can be used: lines to paste. */
export function readyText(ready: Ready): string {
  const vireo = shellWord(ready.command);
  return [
    '',
    `Vireo is ready after ${ready.duration}. The Kubernetes API is at https://127.0.0.1:${ready.port}`,
    '',
    `  export KUBECONFIG=${shellWord(ready.kubeconfig)}`,
    ...(ready.vms
      ? [`  kubectl apply -f ${shellWord(ready.vms.manifest)}`, `  ${vireo} console first-vm`]
      : ['  kubectl get namespaces']),
    '',
    ...notes(ready, vireo),
  ].join('\n');
}

function notes({ home, port, guests, vms: ready, isDetached = false }: Ready, vireo: string): string[] {
  const down = `${vireo} down --home ${shellWord(home)}`;
  const background = `It runs in the background. To follow its log: ${vireo} logs -f --home ${shellWord(home)}`;
  if (!ready)
    return [
      ...(guests > 0
        ? [
            `${countOfVms(guests)} from an earlier start ${guests === 1 ? 'is' : 'are'} still running, but this server does not manage VMs.`,
          ]
        : []),
      ...(isDetached ? [background] : []),
      `It serves only the API, without VMs. To stop it: ${isDetached ? '' : 'Ctrl-C or '}${down}`,
    ];
  return [
    ...(guests > 0 ? [`Resumed ${countOfVms(guests)} that kept running from an earlier start.`] : []),
    ...(ready.emulatedBecause === undefined
      ? []
      : [`KVM is not available, so guests are emulated, which is slow: ${ready.emulatedBecause}`]),
    ...(ready.userNetworkBecause === undefined
      ? []
      : [
          `Guests have no addresses of their own, so they do not reach each other and Services do not reach them: ${ready.userNetworkBecause}`,
        ]),
    ...(ready.unusedPlugins ?? []).map((text) => `A hypervisor plug-in is not used: ${text}`),
    `VMs in a browser: ${vireo} dashboard, or log in at https://127.0.0.1:${port}/dashboard/`,
    ...(ready.isGuestImageBuilt
      ? []
      : [
          `Vireo builds the image of first-vm when it is first used, in about half a minute. To build it now: ${vireo} image build`,
        ]),
    ...(isDetached
      ? [background, `To stop everything: ${down}`]
      : [`Ctrl-C stops the server and leaves VMs running. To stop everything: ${down}`]),
  ];
}

/** What is said at the end of a server whose guests do not end with it. */
export function leftRunningText(guests: number, home: string, command: string): string {
  const [goes, them] = guests === 1 ? ['keeps', 'it'] : ['keep', 'them'];
  const down = `${shellWord(command)} down --home ${shellWord(home)}`;
  return `${countOfVms(guests)} ${goes} running, and the next start picks ${them} up again. To stop ${them}: ${down}`;
}

/** A word as the shell reads it back, quoted only where it must be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
