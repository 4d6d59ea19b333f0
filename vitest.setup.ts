import fc from 'fast-check';
import { vi } from 'vitest';

/**
 * Property tests draw the same examples in every run, so that a change is judged by what it changed.
 * `VIREO_TEST_SEED=$RANDOM npm test` draws others; a failure prints the seed that shows it again.
 */
const seed = Number(process.env.VIREO_TEST_SEED ?? 20_261_116);
if (!Number.isSafeInteger(seed)) throw new Error(`VIREO_TEST_SEED=${process.env.VIREO_TEST_SEED}: give a whole number`);
fc.configureGlobal({ seed });

/** How many times longer than usual things may take: the lab is an emulated host, which is slow. */
const patience = Number(process.env.VIREO_TEST_PATIENCE ?? 1);

/** Vitest's default is one second, which a busy host can take for anything. */
const TIMEOUT_MS = 15_000;
const { waitFor, setConfig } = vi;
vi.waitFor = (callback, options = {}) => {
  const { timeout = TIMEOUT_MS, ...others } = typeof options === 'number' ? { timeout: options } : options;
  return waitFor(callback, { timeout: patience * timeout, ...others });
};
vi.setConfig = (config) => {
  const { testTimeout, hookTimeout } = config;
  setConfig({
    ...config,
    ...(testTimeout && { testTimeout: patience * testTimeout }),
    ...(hookTimeout && { hookTimeout: patience * hookTimeout }),
  });
};

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test or a suite does not run on this host; told at the end of a run. */
    whySkipped?: string;
  }
}
