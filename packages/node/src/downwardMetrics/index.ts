import type { Socket } from 'node:net';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Clock, type Log, pause } from '@vireo/kube';
import { dial } from '../api/dial.ts';
import type { DomainStats } from '../metrics/domainStats.ts';
import { isDomainActive } from '../vmi/decide.ts';
import type { DomainInformer } from '../vmi/domainInformer.ts';
import type { RunningVmi } from '../vmi/localVmi.ts';
import { guestMetrics } from './guestMetrics.ts';
import { type HostNames, type HostTexts, hostMetrics, hostNames, readHostTexts } from './hostMetrics.ts';
import { serveMetrics } from './metricsChannel.ts';
import { metricsDisk, writeMetricsDisk } from './metricsDisk.ts';
import { metricsXml, NO_METRICS } from './metricsXml.ts';

/** As often as KubeVirt writes them. */
const REFRESH_MS = 5_000;
/** What was read of the host within this time is told to others, too. */
const FRESH_MS = 1_000;

export interface DownwardMetricsContext {
  readonly names: HostNames;
  readonly domains: Pick<DomainInformer, 'get'>;
  readonly stats: { read(): Promise<readonly DomainStats[]> };
  readonly log: Log;
  readonly clock: Clock;
}

/** A guest that reads metrics. */
interface Reader {
  readonly vmi: Vmi;
  /** Its disk with them, if it has one. */
  readonly disk: string | undefined;
  /** The socket of its port for them, if it has one. */
  readonly socket: string | undefined;
  isConnected: boolean;
  /** What kept them from it when that was last tried. */
  problem?: string | undefined;
  /** What of that is in the log. */
  told?: string | undefined;
}

/** Tells guests what their node has used and has left, and what they have of it: on a disk, on a port, or on both. */
export class DownwardMetrics {
  readonly #context: DownwardMetricsContext;
  /** By the uid of the VMI. */
  readonly #readers = new Map<string, Reader>();
  readonly #sockets = new Set<Socket>();
  #hasStopped = false;
  #host: { readonly atMs: number; readonly texts: Promise<HostTexts> } | undefined;

  constructor(context: DownwardMetricsContext) {
    this.#context = context;
  }

  /** Serves a guest that runs, if it is to have metrics, from now on until it has ended. */
  follow({ uid, vmi, files }: Pick<RunningVmi, 'uid' | 'vmi' | 'files'>): void {
    const volume = vmi.spec.volumes?.find(({ downwardMetrics }) => downwardMetrics);
    const hasPort = vmi.spec.domain.devices.downwardMetrics !== undefined;
    if ((!volume && !hasPort) || this.#readers.has(uid)) return;
    const reader: Reader = {
      vmi,
      disk: volume && metricsDisk(files.directory, volume.name),
      socket: hasPort ? files.paths.metricsSocket : undefined,
      isConnected: false,
    };
    this.#readers.set(uid, reader);
    void this.#serve(uid, reader);
  }

  /** Writes disks anew every few seconds, until `signal` aborts; then nobody is served any more. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(REFRESH_MS, signal, this.#context.clock);
      if (!signal.aborted) await Promise.all([...this.#readers].map(([uid, reader]) => this.#serve(uid, reader)));
    }
    this.#hasStopped = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Never rejects. */
  async #serve(uid: string, reader: Reader): Promise<void> {
    if (!isDomainActive(this.#context.domains.get(uid)?.state)) {
      this.#readers.delete(uid);
      return;
    }
    try {
      if (reader.socket !== undefined && !reader.isConnected) await this.#connect(uid, reader, reader.socket);
      if (reader.disk !== undefined) await writeMetricsDisk(reader.disk, await this.#report(uid));
      reader.problem = undefined;
    } catch (error) {
      const { message } = error as Error;
      // A guest that has just ended or left may not be known to have: only what lasts is a problem.
      if (reader.problem === message && reader.told !== message) {
        this.#context.log.warn('a guest gets no metrics', reader.vmi, { error });
        reader.told = message;
      }
      reader.problem = message;
    }
  }

  /** QEMU listens, and takes one connection at a time. */
  async #connect(uid: string, reader: Reader, path: string): Promise<void> {
    if (this.#hasStopped) return;
    reader.isConnected = true;
    try {
      const socket = await dial(path);
      this.#sockets.add(socket);
      // Meanwhile the node may have stopped, and nothing would end the connection.
      if (this.#hasStopped) socket.destroy();
      void serveMetrics(socket, () => this.#report(uid), this.#context.clock).finally(() => {
        this.#sockets.delete(socket);
        reader.isConnected = false;
      });
    } catch (error) {
      reader.isConnected = false;
      throw error;
    }
  }

  async #report(uid: string): Promise<string> {
    const { names, stats, clock } = this.#context;
    const found = (await stats.read()).find(({ domain }) => domain.uuid === uid);
    const guest = found && guestMetrics(found.parameters);
    if (!guest) return NO_METRICS;
    return metricsXml([...hostNames(names), ...guest, ...hostMetrics(await this.#hostTexts(), clock.now())]);
  }

  /** All guests are told the same of the host. */
  #hostTexts(): Promise<HostTexts> {
    const atMs = this.#context.clock.now();
    if (!this.#host || atMs - this.#host.atMs >= FRESH_MS) this.#host = { atMs, texts: readHostTexts() };
    return this.#host.texts;
  }
}
