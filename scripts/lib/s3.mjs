import { join } from 'node:path';
import { setup } from '../setup.mjs';
import { fetchPackages } from './debianArchive.mjs';
import { Failure, runLauncher } from './failure.mjs';
import { readOsRelease } from './osRelease.mjs';
import { cacheDirectory, root } from './paths.mjs';
import { capture, runInForeground } from './spawn.mjs';
import { createSteps } from './steps.mjs';
import { ensureTestTools, runVitest } from './verify.mjs';

/** What is tested with a real S3 server. */
const SUITES = [
  'packages/backup/src/s3',
  'packages/node/src/volumes/backups/s3.test.ts',
  'e2e/storage/vmBackupS3.test.ts',
];

/** Swift and what it imports. What it needs to be a service of the system is left out, and it runs by the host's Python. */
const PACKAGES = [
  ...['python3-swift', 'swift', 'swift-proxy', 'memcached', 'libevent-2.1-7', 'libsasl2-2'],
  ...['python3-cffi-backend', 'python3-cryptography', 'python3-dnspython', 'python3-eventlet', 'python3-greenlet'],
  ...['python3-lxml', 'libxslt1.1', 'libxml2', 'libicu72', 'python3-netifaces', 'python3-openssl', 'python3-packaging'],
  ...['python3-paste', 'python3-pastedeploy', 'python3-pastedeploy-tpl', 'python3-pkg-resources', 'python3-pyeclib'],
  ...['liberasurecode1', 'python3-requests', 'python3-urllib3', 'python3-chardet', 'python3-certifi', 'python3-idna'],
  ...['python3-charset-normalizer', 'python3-setuptools', 'python3-six', 'python3-tempita', 'python3-xattr'],
  ...['python3-cffi', 'python3-pycparser', 'python3-ply', 'python3-importlib-metadata', 'python3-zipp'],
  ...['python3-more-itertools'],
];

const HELP = `Usage: npm run s3 -- [VITEST OPTION…]

Tests backups and imports with a real S3 server, Debian's Swift, which is unpacked to .cache/swift and started on free
ports of this host. Needs Debian 12.
`;

/**
 * Runs the tests that need an S3 server.
 *
 * @param {readonly string[]} args
 */
export function s3(args) {
  return runLauncher(async () => {
    if (args.includes('--help')) {
      console.log(HELP);
      return 0;
    }
    if (process.getuid?.() === 0 && !process.env.VIREO_TEST_S3_NAMES) return withNames(args);
    const steps = createSteps(process.stdout);
    await setup(steps);
    const directory = await swift(steps);
    const tools = await ensureTestTools(steps);
    // Each starts a Swift of its own, which is six processes.
    return runVitest(tools, ['--no-file-parallelism', ...SUITES, ...args], { VIREO_TEST_SWIFT: directory });
  });
}

/** Again, in a mount namespace where the bucket of the tests has a name of its own. */
function withNames(args) {
  const script = `hosts=$(mktemp) && { cat /etc/hosts; echo 127.0.0.1 backups.s3.localhost; } >"$hosts" &&
mount --bind "$hosts" /etc/hosts && exec "$@"`;
  const again = [process.execPath, join(root, 'scripts/s3.mjs'), ...args];
  const env = { ...process.env, VIREO_TEST_S3_NAMES: '1' };
  return runInForeground('unshare', ['--mount', 'sh', '-c', script, 'sh', ...again], { cwd: root, env });
}

async function swift(steps) {
  const release = 'bookworm';
  const directory = join(cacheDirectory, 'swift');
  if (readOsRelease().VERSION_CODENAME !== release)
    throw new Failure('Swift is started from the packages of Debian 12, with its Python, and this is another system');
  const works = async () => {
    const script =
      'import swift.proxy.server, swift.common.middleware.s3api.s3api, swift.obj.server, swift.account.server';
    const libraries = `${directory}/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
    const env = {
      ...process.env,
      PYTHONPATH: `${directory}/usr/lib/python3/dist-packages`,
      LD_LIBRARY_PATH: libraries,
    };
    return (await capture('/usr/bin/python3', ['-c', script], { env }).catch(() => ({ code: 1 }))).code === 0;
  };
  const hint = 'Install python3, and see that apt-get download python3-swift works.';
  await fetchPackages(steps, { title: 'Swift', release, packages: PACKAGES, directory, works, hint });
  return directory;
}
