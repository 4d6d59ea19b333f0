import { defineConfig } from 'vitest/config';

/** Of `npm run cluster` alone: these tests need a real control plane, which `npm test` does not have. */
export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    include: ['cluster/**/*.test.ts'],
    setupFiles: ['./vitest.setup.ts'],
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 180_000,
    hookTimeout: 300_000,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: 'forks',
    maxWorkers: 1,
    // The groups of cases all run at once.
    maxConcurrency: 10,
  },
});
