/** A volume that cannot be had, in the words of the pod's container state. */
export class VolumeError extends Error {
  readonly reason: string;
  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'VolumeError';
    this.reason = reason;
  }
}
