import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Card } from '@vireo/network';
import { replaceFile } from '../replaceFile.ts';
import type { LeaseWishes } from './lease.ts';

/** A VMI's card in the pod network, as it is kept for as long as the VMI is on this node. */
export interface GuestCard extends Card {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** The interface's name in the VMI. */
  readonly iface: string;
  /** What the guest is to call itself. */
  readonly hostname: string;
  readonly subdomain?: string;
  readonly mtu: number;
  readonly isMultiqueue?: boolean;
  /** The guest is on its way from another node. */
  readonly isIncoming?: boolean;
  readonly wishes?: LeaseWishes;
}

/** The cards of this node: one file each, so that one card more or less writes one file. */
export class CardStore {
  readonly #directory: string;
  readonly #cards: Map<string, GuestCard>;

  private constructor(directory: string, cards: Map<string, GuestCard>) {
    this.#directory = directory;
    this.#cards = cards;
  }

  /** Reads what an earlier run has kept. A file that was cut off belongs to a card that no guest has got. */
  static async open(directory: string): Promise<CardStore> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const cards = new Map<string, GuestCard>();
    for (const file of await readdir(directory)) {
      const path = join(directory, file);
      const card = file.endsWith('.json') ? parse(await readFile(path, 'utf8')) : undefined;
      if (card) cards.set(card.uid, card);
      else await rm(path, { force: true });
    }
    return new CardStore(directory, cards);
  }

  get(uid: string): GuestCard | undefined {
    return this.#cards.get(uid);
  }

  all(): IterableIterator<GuestCard> {
    return this.#cards.values();
  }

  /** Keeps a card; it is on disk when this resolves. */
  async put(card: GuestCard): Promise<void> {
    this.#cards.set(card.uid, card);
    await replaceFile(this.#path(card.uid), JSON.stringify(card), { flush: true });
  }

  async remove(uid: string): Promise<void> {
    this.#cards.delete(uid);
    await rm(this.#path(uid), { force: true });
  }

  #path(uid: string): string {
    return join(this.#directory, `${encodeURIComponent(uid)}.json`);
  }
}

function parse(text: string): GuestCard | undefined {
  try {
    return JSON.parse(text) as GuestCard;
  } catch {
    return undefined;
  }
}
