/** Data that can never become the disk that was asked for: no retry helps. */
export class BadImage extends Error {
  override readonly name = 'BadImage';
}
