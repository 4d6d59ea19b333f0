/** What can be wrong with an image, or in the way of getting it. */
export type OciErrorCode =
  /** The text names no image. */
  | 'InvalidReference'
  /** Its registry has no address, or does not answer. */
  | 'Unreachable'
  /** The registry asks who it is, or does not take the response. */
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  /** Asked too often. */
  | 'RateLimited'
  /** The registry answers what none should. */
  | 'BadResponse'
  /** What arrived is not what was named. */
  | 'BadDigest'
  /** The image, or a layer of it, is not as the format wants it. */
  | 'BadImage'
  | 'WrongArchitecture'
  /** The image holds no disk, or several. */
  | 'NoDisk'
  /** The disk cannot be used. */
  | 'BadDisk'
  /** It unpacks to more than may be. */
  | 'TooLarge';

/** An image that cannot be had, with a cause for programs and a sentence for people. */
export class OciError extends Error {
  readonly code: OciErrorCode;
  constructor(code: OciErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OciError';
    this.code = code;
  }
}

export const isOciError = (error: unknown, ...codes: readonly OciErrorCode[]): error is OciError =>
  error instanceof OciError && (codes.length === 0 || codes.includes(error.code));
