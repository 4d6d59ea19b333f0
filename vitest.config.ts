import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'e2e/**/*.test.ts',
      'bench/**/*.test.ts',
      'faults/**/*.test.ts',
      'security/**/*.test.ts',
      'scripts/**/*.test.mjs',
    ],
    setupFiles: ['./vitest.setup.ts'],
    // A busy host can take longer for anything than the second that is the default.
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Node reads the sources itself, as it does for users; nothing here needs Vite's own loader, which is slower.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: 'forks',
    maxWorkers: 2,
  },
});
