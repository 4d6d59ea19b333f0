/** Under which key each uid was seen. A key can have several: a VMI, and those of its name that came before it. */
export class KeyIndex {
  readonly #keys = new Map<string, string>();
  readonly #uids = new Map<string, Set<string>>();

  set(uid: string, key: string): void {
    if (this.#keys.get(uid) === key) return;
    this.delete(uid);
    this.#keys.set(uid, key);
    const uids = this.#uids.get(key);
    if (uids) uids.add(uid);
    else this.#uids.set(key, new Set([uid]));
  }

  keyOf(uid: string): string | undefined {
    return this.#keys.get(uid);
  }

  uidsOf(key: string): Iterable<string> {
    return this.#uids.get(key) ?? [];
  }

  delete(uid: string): void {
    const key = this.#keys.get(uid);
    if (key === undefined) return;
    this.#keys.delete(uid);
    const uids = this.#uids.get(key);
    uids?.delete(uid);
    if (uids?.size === 0) this.#uids.delete(key);
  }
}
