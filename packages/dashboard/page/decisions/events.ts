import type { EventObject, Vmi } from '../data/kinds.ts';

/** Events that say the same, as one. */
export interface FoldedEvent {
  readonly key: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly about: string;
  readonly from: string;
  readonly count: number;
  readonly lastAt: string | undefined;
}

/** Newest first, with repeats folded. */
export function foldEvents(events: Iterable<EventObject>): FoldedEvent[] {
  const folded = new Map<string, FoldedEvent>();
  for (const event of events) {
    const { type = 'Normal', reason = '', message = '', involvedObject } = event;
    const about = `${involvedObject?.kind ?? ''} ${involvedObject?.name ?? ''}`.trim();
    const key = [type, reason, message, about].join('\n');
    const before = folded.get(key);
    const lastAt = timeOf(event);
    folded.set(key, {
      key,
      isWarning: type !== 'Normal',
      reason,
      message,
      about,
      from: event.source?.component || event.reportingComponent || '',
      count: (before?.count ?? 0) + (event.series?.count ?? event.count ?? 1),
      lastAt: (before?.lastAt ?? '') > (lastAt ?? '') ? before?.lastAt : lastAt,
    });
  }
  return [...folded.values()].sort((a, b) => ((a.lastAt ?? '') < (b.lastAt ?? '') ? 1 : -1));
}

const timeOf = (event: EventObject): string | undefined =>
  event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp;

/** What the page keeps of an event. */
export const eventRow = (event: EventObject): EventObject => {
  const { metadata, type, reason, message, count, series, firstTimestamp, lastTimestamp, eventTime } = event;
  const { source, reportingComponent, involvedObject: about } = event;
  return {
    metadata: { name: metadata.name, creationTimestamp: metadata.creationTimestamp },
    involvedObject: { kind: about?.kind, name: about?.name },
    ...{ type, reason, message, count, series, firstTimestamp, lastTimestamp, eventTime, source, reportingComponent },
  };
};

/** Whose events are meant: by names, or by UIDs where names are not known. */
export interface About {
  readonly names: readonly string[];
  readonly uids?: readonly string[];
}

/** The lists of events of some objects, one for each: those of a whole namespace are thousands. */
export function eventPaths(namespace: string, { names, uids = [] }: About): string[] {
  const list = (field: string, value: string): string =>
    `/api/v1/namespaces/${encodeURIComponent(namespace)}/events?fieldSelector=${encodeURIComponent(`involvedObject.${field}=${value}`)}`;
  return [...new Set([...names.map((name) => list('name', name)), ...uids.map((uid) => list('uid', uid))])];
}

/** The launcher pods of an instance: two while it migrates. An instance tells their UIDs only. */
export const launchersOf = (vmi: Vmi | undefined): readonly string[] => Object.keys(vmi?.status?.activePods ?? {});

/** Whether an event is about a VM, its instance or the pods that it runs in. */
export function isAbout(event: EventObject, name: string): boolean {
  const { kind = '', name: about = '' } = event.involvedObject ?? {};
  if (kind === 'Pod')
    return about.startsWith(`virt-launcher-${name}-`) && !about.slice(`virt-launcher-${name}-`.length).includes('-');
  return about === name && /^(VirtualMachine|VirtualMachineInstance)$/.test(kind);
}
