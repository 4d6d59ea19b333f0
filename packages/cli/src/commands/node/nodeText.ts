import { urlHost } from '@vireo/kube/serving/hostAddress.ts';
import { shellWord } from '../readyText.ts';
import { countOfVms } from '../shutdownText.ts';

/** What can be said of a node that is ready. */
export interface ReadyNode {
  readonly name: string;
  /** The API server of its cluster. */
  readonly server: string;
  readonly address: string;
  readonly port: number;
  readonly home: string;
  readonly duration: string;
  /** How the user calls this program. */
  readonly command: string;
  /** How many guests of an earlier start run. */
  readonly guests: number;
  readonly emulatedBecause?: string;
  readonly isDetached: boolean;
}

/** What `vireo node` and `vireo join` say once the node takes VMs. */
export function nodeReadyText(ready: ReadyNode): string {
  const { name, server, address, port, home, guests, emulatedBecause, isDetached } = ready;
  const flag = `--home ${shellWord(home)}`;
  const vireo = shellWord(ready.command);
  return [
    '',
    `The node ${name} is ready after ${ready.duration}. Its cluster is at ${server}, and reaches it at ${urlHost(address)}:${port}`,
    ...(guests > 0 ? [`Resumed ${countOfVms(guests)} that kept running from an earlier start.`] : []),
    ...(emulatedBecause === undefined
      ? []
      : [`KVM is not available, so guests are emulated, which is slow: ${emulatedBecause}`]),
    ...(isDetached
      ? [
          `It runs in the background. To follow its log: ${vireo} logs -f ${flag}`,
          `To stop it and its VMs: ${vireo} down ${flag}`,
        ]
      : [
          `Ctrl-C stops the node and leaves VMs running. To start it again: ${vireo} node ${flag}. To stop everything: ${vireo} down ${flag}`,
        ]),
  ].join('\n');
}
