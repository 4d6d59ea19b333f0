import { defineConfig } from 'vitest/config';

/** Of `npm run faults -- --nodes` alone: these scenarios take minutes, because silence does. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    include: ['faults/silence/*.scenarios.ts'],
    setupFiles: ['./vitest.setup.ts'],
    testTimeout: 20 * 60_000,
    hookTimeout: 5 * 60_000,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: 'forks',
    maxWorkers: 1,
  },
});
