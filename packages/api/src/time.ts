/** A moment as Kubernetes writes it, to the second: `2026-11-15T21:40:06Z`. */
export const timestamp = (at: Date = new Date()): string => `${at.toISOString().slice(0, 19)}Z`;
