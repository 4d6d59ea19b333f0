import { machines } from './shutdownText.ts';

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
  /** Missing where the server runs no machines. */
  readonly machines?: {
    /** A manifest to begin with. */
    readonly manifest: string;
    /** Why guests are emulated; missing where KVM runs them. */
    readonly emulatedBecause?: string;
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
    ...(ready.machines
      ? [`  kubectl apply -f ${shellWord(ready.machines.manifest)}`, `  ${vireo} console first-vm`]
      : ['  kubectl get namespaces']),
    '',
    ...notes(ready, vireo),
  ].join('\n');
}

function notes({ home, guests, machines: ready }: Ready, vireo: string): string[] {
  const down = `${vireo} down --home ${shellWord(home)}`;
  if (!ready)
    return [
      ...(guests > 0 ? [`Nobody looks after ${machines(guests)} of an earlier start.`] : []),
      `It serves the API alone, without machines. Stop it with Ctrl-C or: ${down}`,
    ];
  return [
    ...(guests > 0 ? [`It looks after ${machines(guests)} of an earlier start again.`] : []),
    ...(ready.emulatedBecause === undefined
      ? []
      : [`KVM cannot be used, so guests are emulated, which is slow: ${ready.emulatedBecause}`]),
    ...(ready.unusedPlugins ?? []).map((text) => `A hypervisor plug-in is not used: ${text}`),
    ...(ready.isGuestImageBuilt
      ? []
      : [
          `The image of first-vm is built when it is first used, in about half a minute. At once: ${vireo} image build`,
        ]),
    `Ctrl-C stops the server and leaves machines running. Stop everything with: ${down}`,
  ];
}

/** What is said at the end of a server whose guests do not end with it. */
export function goOnText(guests: number, home: string, command: string): string {
  const [goes, them] = guests === 1 ? ['keeps', 'it'] : ['keep', 'them'];
  const down = `${shellWord(command)} down --home ${shellWord(home)}`;
  return `${machines(guests)} ${goes} running; the next start looks after ${them} again. Stop ${them} with: ${down}`;
}

/** A word as the shell reads it back, quoted only where it must be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
