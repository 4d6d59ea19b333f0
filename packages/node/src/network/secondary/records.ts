import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecondaryCard } from '@vireo/network';
import { replaceFile } from '../../replaceFile.ts';
import type { LeaseWishes } from '../lease.ts';

/** A VMI's card in a network besides the pod network, as it is kept for as long as the card is there. */
export interface CardRecord extends SecondaryCard {
  readonly uid: string;
  /** The interface's name in the VMI. */
  readonly iface: string;
  /** `namespace/name` of the VMI. */
  readonly vmi: string;
  /** What the guest is to call itself. */
  readonly hostname: string;
  readonly wishes?: LeaseWishes;
}

/** The addresses that a card was given, IPv4 first. */
export const cardAddresses = ({ dhcp }: Pick<CardRecord, 'dhcp'>): string[] =>
  [dhcp?.address, dhcp?.address6].filter((address) => address !== undefined);

/** One card of one VMI, as a key of maps. */
export const recordKey = (uid: string, iface: string): string => `${uid}_${iface}`;

/** The cards that need more than libvirt's help: one file each, so that one card more or less writes one file. */
export class CardRecords {
  readonly #directory: string;
  readonly #records: Map<string, CardRecord>;

  private constructor(directory: string, records: Map<string, CardRecord>) {
    this.#directory = directory;
    this.#records = records;
  }

  /** Reads what an earlier run has kept. A file that was cut off belongs to a card that no guest has got. */
  static async open(directory: string): Promise<CardRecords> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const records = new Map<string, CardRecord>();
    for (const file of await readdir(directory)) {
      const path = join(directory, file);
      const record = file.endsWith('.json') ? parse(await readFile(path, 'utf8')) : undefined;
      if (record) records.set(recordKey(record.uid, record.iface), record);
      else await rm(path, { force: true });
    }
    return new CardRecords(directory, records);
  }

  get(uid: string, iface: string): CardRecord | undefined {
    return this.#records.get(recordKey(uid, iface));
  }

  all(): CardRecord[] {
    return [...this.#records.values()];
  }

  /** The cards of one VMI. */
  of(uid: string): CardRecord[] {
    return this.all().filter((each) => each.uid === uid);
  }

  /** Keeps a card; it is on disk when this resolves. */
  async put(record: CardRecord): Promise<void> {
    this.#records.set(recordKey(record.uid, record.iface), record);
    await replaceFile(this.#path(record), JSON.stringify(record), { flush: true });
  }

  async remove(record: CardRecord): Promise<void> {
    this.#records.delete(recordKey(record.uid, record.iface));
    await rm(this.#path(record), { force: true });
  }

  #path({ uid, iface }: CardRecord): string {
    return join(this.#directory, `${encodeURIComponent(recordKey(uid, iface))}.json`);
  }
}

function parse(text: string): CardRecord | undefined {
  try {
    return JSON.parse(text) as CardRecord;
  } catch {
    return undefined;
  }
}
