/** What one more, or one less, of something costs. */
export interface Cost {
  readonly ms: number;
  /** What the kernel or nft is told. */
  readonly bytes: number;
}

export const CHANGES = ['endpoint', 'balanced', 'guest', 'member'] as const;
export type Change = (typeof CHANGES)[number];
