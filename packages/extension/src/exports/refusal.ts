/** What is said to whoever fetches, instead of what they asked for. */
export class ExportRefusal extends Error {
  override readonly name = 'ExportRefusal';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
