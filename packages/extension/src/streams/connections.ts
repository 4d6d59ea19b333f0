import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { type Clock, keyOf, type Metrics, parseKey, type Sample } from '@vireo/kube';

/** Notes that a stream to a VMI has begun; the result notes that it has ended. */
export type Connected = (vmi: VirtualMachineInstance, path: string) => () => void;

/** Streams by the first word of their paths, as metrics call them. */
const STREAMS: Readonly<Record<string, readonly [name: string, what: string]>> = {
  console: ['console_active_connections', 'Console connections'],
  vnc: ['vnc_active_connections', 'VNC connections'],
  portforward: ['portforward_active_tunnels', 'portforward tunnels'],
  usbredir: ['usbredir_active_connections', 'USB redirection connections'],
};

/** VMIs come and go, and nobody says which of them will not be connected to again. */
const MAX_REMEMBERED = 10_000;

/** Counts the streams that are open, and remembers of every VMI when somebody connected to it last. */
export function observeConnections(metrics: Metrics, clock: Clock): Connected {
  const labels = ['namespace', 'vmi'];
  const open = new Map(Object.keys(STREAMS).map((word) => [word, new Map<string, number>()]));
  const lastSeconds = new Map<string, number>();
  for (const [word, [name, what]] of Object.entries(STREAMS)) {
    const help = `Amount of active ${what}, broken down by namespace and vmi name.`;
    metrics.read({ name: `kubevirt_${name}`, help, type: 'gauge', labels }, () => samplesOf(open.get(word)));
  }
  metrics.read(
    {
      name: 'kubevirt_vmi_last_api_connection_timestamp_seconds',
      help:
        'Virtual Machine Instance last API connection timestamp. Including VNC, console, portforward, SSH and ' +
        'usbredir connections.',
      type: 'gauge',
      labels,
    },
    () => samplesOf(lastSeconds),
  );
  return (vmi, path) => {
    const key = keyOf(vmi);
    const counts = open.get(path.split('/', 1)[0] ?? '');
    counts?.set(key, (counts.get(key) ?? 0) + 1);
    // At the end: the one that was longest in nobody's hands is at the front.
    lastSeconds.delete(key);
    lastSeconds.set(key, Math.floor(clock.now() / 1000));
    const [oldest = ''] = lastSeconds.keys();
    if (lastSeconds.size > MAX_REMEMBERED) lastSeconds.delete(oldest);
    return () => {
      const left = (counts?.get(key) ?? 1) - 1;
      if (left > 0) counts?.set(key, left);
      else counts?.delete(key);
    };
  };
}

function* samplesOf(values: ReadonlyMap<string, number> | undefined): Iterable<Sample> {
  for (const [key, value] of values ?? []) {
    const { namespace = '', name } = parseKey(key);
    yield { labels: [namespace, name], value };
  }
}
