import { badRequest } from '@vireo/api';

const MAX_HEAD_BYTES = 16 << 10;

/** The content of the first part of a form that has one of these names, as it comes; other parts are passed over. */
export async function* formFile(
  contentType: string | undefined,
  body: AsyncIterable<Buffer>,
  names: readonly string[] = ['file'],
): AsyncGenerator<Buffer, void> {
  const boundary = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType ?? '');
  const mark = boundary?.[1] ?? boundary?.[2];
  if (!mark) throw badRequest('the body is not a form; content-type must be multipart/form-data with a boundary');
  const delimiter = Buffer.from(`\r\n--${mark}`);
  const reader = new Reader(body);
  // The first delimiter may stand at the very beginning, without the line break of the others.
  reader.unread(Buffer.from('\r\n'));
  for await (const _ of reader.until(delimiter)) {
    // A preamble is nothing to anybody.
  }
  for (;;) {
    const head = await reader.head();
    if (head === undefined)
      throw badRequest(`the form has no part named ${names.map((name) => `"${name}"`).join(' or ')}`);
    const content = reader.until(delimiter);
    const name = /^content-disposition:.*;\s*name="?([^";\s]*)"?\s*(;|$)/im.exec(head)?.[1];
    if (name !== undefined && names.includes(name)) return yield* content;
    for await (const _ of content) {
      // Other parts are passed over.
    }
  }
}

/** Reads a body up to marks in it. */
class Reader {
  readonly #source: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  unread(bytes: Buffer): void {
    this.#buffer = Buffer.concat([bytes, this.#buffer]);
  }

  /** Everything up to the mark, which is taken too. */
  async *until(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#buffer.indexOf(mark);
      if (at >= 0) {
        const found = this.#buffer.subarray(0, at);
        this.#buffer = this.#buffer.subarray(at + mark.length);
        if (found.length > 0) yield found;
        return;
      }
      // The mark may have begun at the end of what is here.
      const safe = this.#buffer.length - mark.length + 1;
      if (safe > 0) {
        yield this.#buffer.subarray(0, safe);
        this.#buffer = this.#buffer.subarray(safe);
      }
      if (!(await this.#more())) throw badRequest('the form is truncated');
    }
  }

  /** The headers of the next part; undefined after the last. */
  async head(): Promise<string | undefined> {
    for (;;) {
      if (this.#buffer.subarray(0, 2).toString() === '--') return undefined;
      const at = this.#buffer.indexOf('\r\n\r\n');
      if (at >= 0) {
        const head = this.#buffer.subarray(0, at).toString('utf8');
        this.#buffer = this.#buffer.subarray(at + 4);
        return head;
      }
      if (this.#buffer.length > MAX_HEAD_BYTES || !(await this.#more()))
        throw badRequest('the form is truncated in the headers of a part');
    }
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done) return false;
    this.#buffer = this.#buffer.length === 0 ? value : Buffer.concat([this.#buffer, value]);
    return true;
  }
}
