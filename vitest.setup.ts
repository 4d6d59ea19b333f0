import fc from 'fast-check';
import { vi } from 'vitest';

/**
 * Property tests draw the same examples in every run, so that a change is judged by what it changed.
 * `VIREO_TEST_SEED=$RANDOM npm test` draws others; a failure prints the seed that shows it again.
 */
const seed = Number(process.env.VIREO_TEST_SEED ?? 20_261_116);
if (!Number.isSafeInteger(seed)) throw new Error(`VIREO_TEST_SEED=${process.env.VIREO_TEST_SEED}: give a whole number`);
fc.configureGlobal({ seed });

/** Vitest's default is one second, which a busy host can take for anything. */
const TIMEOUT_MS = 15_000;
const waitFor = vi.waitFor;
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === 'number' ? options : { timeout: TIMEOUT_MS, ...options });
