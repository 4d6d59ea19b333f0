import type { Gate } from './gate.ts';

/** How much of a file is read at a time. */
export const PIECE_BYTES = 1 << 20;

/** A file on its way to a claim. */
export interface Sending {
  readonly file: Blob;
  /** Of the UploadTokenRequest; the server looks at it when the upload begins, and not again. */
  readonly token: string;
  readonly gate: Gate;
  readonly signal: AbortSignal;
  /** How many bytes have gone out. */
  readonly onSent: (bytes: number) => void;
}
