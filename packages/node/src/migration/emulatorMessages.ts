import { open, stat } from 'node:fs/promises';
import { domainLog } from '../libvirtd/domainLog.ts';
import type { NodeLayout } from '../libvirtd/layout.ts';

/** A place in the log of a domain, from which on it tells of one run. */
export type LogPlace = { readonly path: string; readonly from: number } | undefined;

/** The end of what is in the log of a VMI's domain now. */
export async function endOfLog(layout: NodeLayout, key: string): Promise<LogPlace> {
  const path = domainLog(layout, key);
  if (path === undefined) return undefined;
  const { size = 0 } = (await stat(path).catch(() => undefined)) ?? {};
  return { path, from: size };
}

/** Read up to here: what QEMU says comes before libvirt's word that it has ended. */
const MOST_BYTES = 64 * 1024;
const MOST_LINES = 3;

/** What QEMU has said in its log from a place on; undefined where it has not complained. */
export async function complaintsSince(place: LogPlace): Promise<string | undefined> {
  const file = place && (await open(place.path).catch(() => undefined));
  if (!place || !file) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, place.from);
    return complaintsIn(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
}

/** What QEMU complains about in a log: its own lines, without what is said of an end that we have asked for. */
export function complaintsIn(log: string): string | undefined {
  const lines = log.split('\n').flatMap((line) => /(?:^|\s)qemu-system-\w+: (.*)$/.exec(line)?.[1] ?? []);
  const complaints = lines.filter((line) => !/^(terminating on signal|warning: )/.test(line));
  return complaints.length > 0 ? complaints.slice(0, MOST_LINES).join('; ') : undefined;
}
