import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { configDefaults, defaultExclude, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SkippedReporter } from './scripts/lib/skippedTests.mjs';

/**
 * The files that take longest. They begin first: at the end, one of them would run alone. Those with Linux guests, which
 * keep a processor busy, have others between them.
 */
const LONGEST_FILES = [
  'e2e/cluster/cluster.test.ts',
  'e2e/vms/cdrom.test.ts',
  'e2e/docs/pages.test.ts',
  'e2e/vms/meeting.test.ts',
  'e2e/vms/survival.test.ts',
  'e2e/vms/firmware.test.ts',
  'e2e/vms/stopping.test.ts',
  'e2e/vms/migration.test.ts',
  'e2e/migration/simulated.test.ts',
  'packages/node/src/guestImage/guest.test.ts',
  'e2e/vms/many.test.ts',
  'e2e/vms/snapshots.test.ts',
  'e2e/storage/backup.test.ts',
  'e2e/storage/hotplug.test.ts',
  'e2e/vms/runStrategies.test.ts',
  'e2e/vms/networks.test.ts',
  'e2e/vms/troubles.test.ts',
  'e2e/vms/linux.test.ts',
  'e2e/cluster/lostHost.test.ts',
  'packages/cli/src/extension/remote.test.ts',
  'e2e/cluster/joining.test.ts',
  'e2e/cluster/localNodes.test.ts',
];
const missing = LONGEST_FILES.filter((file) => !existsSync(join(import.meta.dirname, file)));
if (missing.length > 0) throw new Error(`LONGEST_FILES in vitest.config.ts has ${missing}, which does not exist`);

/** Vitest knows how long files took only where they have run before. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST_FILES.indexOf(relative(import.meta.dirname, moduleId));
      return index >= 0 ? index : LONGEST_FILES.length;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/** How many times longer than usual things may take: an emulated host is slow. */
const patience = Number(process.env.VIREO_TEST_PATIENCE ?? 1);

/** Tests of packages that need a process of their own: what they leave behind in it would be in the way of others. */
const OWN_PROCESS = [
  // They register hypervisors.
  'packages/hypervisor/src/**/*.test.ts',
  'packages/cli/src/commands/hypervisors/hypervisors.test.ts',
  // It needs a process that has not made users yet.
  'packages/node/src/guests/users.test.ts',
];

const alone = [...OWN_PROCESS, ...LONGEST_FILES.filter((file) => file.startsWith('packages/'))];
// A browser is a large package to install: npm run browser.
const hasBrowser = process.env.VIREO_TEST_BROWSER === '1';
const browserOnly = hasBrowser ? [] : ['e2e/dashboard/**', 'bench/dashboard.test.ts'];

export default defineConfig({
  test: {
    // A process for each file costs more than most tests of packages do.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared process',
          include: ['packages/**/*.test.ts', 'scripts/**/*.test.mjs'],
          exclude: [...defaultExclude, ...browserOnly, ...alone],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'own process',
          include: ['{e2e,bench,faults,security,oracle,lab}/**/*.test.ts', ...alone],
          exclude: [...defaultExclude, ...browserOnly],
        },
      },
    ],
    sequence: { sequencer: LongestFirst },
    setupFiles: ['./vitest.setup.ts'],
    reporters: [...configDefaults.reporters, new SkippedReporter()],
    // A busy host can take longer for anything than the second that is the default.
    expect: { poll: { timeout: patience * 15_000 } },
    testTimeout: patience * 60_000,
    hookTimeout: patience * 120_000,
    // Node reads the sources itself, as it does for users; nothing here needs Vite's own loader, which is slower.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    pool: 'forks',
    // One more than processors in CI: guests and servers are often waited for. Guests bring network devices, at which
    // Chromium cuts its connections: those of one file are not to disturb the pages of another.
    maxWorkers: hasBrowser ? 1 : 3,
  },
});
