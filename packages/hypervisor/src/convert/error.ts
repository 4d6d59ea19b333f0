/** Something in the VMI that cannot be turned into a domain here. */
export class ConversionError extends Error {
  /** Path of the field, such as `spec.domain.cpu.realtime`. */
  readonly field: string;

  constructor(field: string, why: string) {
    super(`${field}: ${why}`);
    this.name = 'ConversionError';
    this.field = field;
  }
}
