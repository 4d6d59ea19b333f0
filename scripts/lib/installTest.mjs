import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setup } from '../setup.mjs';
import { bareRoot } from './bareRoot.mjs';
import { Failure, runLauncher } from './failure.mjs';
import { npmCommand } from './npm.mjs';
import { root } from './paths.mjs';
import { capture } from './spawn.mjs';
import { createSteps } from './steps.mjs';

/**
 * Installs what `npm pack` makes where nothing of the project is, as a user would, and goes from there to a command in a
 * guest: on a bare Debian made by debootstrap where that can be had, else below a directory of its own with an empty
 * environment.
 */
export function installTest() {
  return runLauncher(async () => {
    const steps = createSteps(process.stdout);
    await setup(steps);
    const directory = mkdtempSync(join(tmpdir(), 'vireo-install-'));
    let place;
    try {
      const tarball = await packed(steps, directory);
      place = (await bareRoot(steps, directory)) ?? ownPrefix(steps, directory);
      copyFileSync(tarball, place.path('/tmp/vireo.tgz'));
      for (const command of COMMANDS) if (place.isBare || !command.isForBare) await run(steps, place, command);
      steps.say('The installed vireo works.');
      return 0;
    } finally {
      await place?.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });
}

/** Prints the answer to a request for the dashboard's page. Without quotes, because a shell has them around it. */
const GET_PAGE = `
  const { port } = JSON.parse(process.argv[1]);
  fetch(\`https://127.0.0.1:\${port}/dashboard/\`).then(async (answer) =>
    console.log(answer.status, answer.headers.get(\`content-type\`), (await answer.text()).replaceAll(/\\s+/g, \` \`)));`;

/**
 * What a user does, in order, and what it prints. `code` is 0 unless given; `isForBare`: only where nothing is installed.
 */
const COMMANDS = [
  { title: 'npm install -g', script: 'npm install --global --no-audit --no-fund "$TARBALL"' },
  { title: 'vireo version --client', script: 'vireo version --client', says: /^Client Version: vireo / },
  {
    title: 'npx vireo',
    script: 'npx --yes --package "$TARBALL" vireo version --client',
    says: /^Client Version: vireo /m,
  },
  {
    title: 'vireo up as a user without sudo',
    script: 'useradd --create-home ada && su ada --command "vireo up"',
    code: 1,
    says: /must be installed, which needs root, but sudo is not installed\nInstall them manually as root: apt-get install /,
    isForBare: true,
  },
  { title: 'vireo up --detach', script: 'vireo up --detach --port 0', says: /is ready after/ },
  {
    title: 'GET /dashboard/',
    // The server's certificate is signed by its own authority.
    script: `NODE_TLS_REJECT_UNAUTHORIZED=0 node --no-warnings --eval '${GET_PAGE}' "$(vireo status -o json)"`,
    says: /^200 text\/html.*<title>Vireo/m,
  },
  { title: 'vireo image build', script: 'vireo image build', says: /vireo\/guest is ready/ },
  { title: 'vireo launch --name web', script: 'vireo launch --name web', says: /Running after/ },
  {
    title: 'vireo wait web --for=ssh',
    script: 'vireo wait web --for=ssh --timeout 5m',
    says: /accepts ssh connections/,
  },
  { title: 'vireo guestosinfo web', script: 'vireo guestosinfo web', says: /GuestAgentInfo/ },
  { title: 'vireo exec web', script: "vireo exec web --no-stdin -- sh -c 'echo kept > /root/note && sync'" },
  // A guest that is asked to stop still answers for a moment.
  {
    title: 'vireo stop and start web',
    script:
      'vireo stop web && vireo wait web --for=stopped --timeout 3m && vireo start web && vireo wait web --for=agent --timeout 5m',
  },
  { title: 'the data is still there', script: 'vireo exec web --no-stdin -- cat /root/note', says: /^kept$/m },
  { title: 'vireo list', script: 'vireo list', says: /^web +Running /m },
  { title: 'vireo delete web', script: 'vireo delete web', says: /deleted/ },
  { title: 'vireo logs', script: 'vireo logs --tail 5' },
  { title: 'vireo down', script: 'vireo down', says: /Stopped/ },
];

async function packed(steps, directory) {
  const [npm, ...first] = npmCommand(process.env);
  return steps.step('npm pack', async () => {
    const result = await capture(npm, [...first, 'pack', '--silent', '--pack-destination', directory], { cwd: root });
    if (result.code !== 0) throw new Failure(`npm pack failed\n\n${result.output.trim()}\n`);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    return join(directory, `vireo-${version}.tgz`);
  });
}

async function run(steps, place, { title, script, code = 0, says = /(?:)/ }) {
  await steps.step(title, async () => {
    const ended = await place.run(script);
    if (ended.code === code && says.test(ended.output)) return;
    await place.run('vireo down --force');
    throw new Failure(`${title} ended with ${ended.code}\n\n${ended.output.trim()}\n`);
  });
}

/** Where no bare Debian can be made: a prefix for npm, and nothing of the tester's environment but the registry. */
function ownPrefix(steps, directory) {
  steps.say('No bare Debian can be made here (it needs root, debootstrap and a mirror): installing to a directory.');
  const home = join(directory, 'home');
  mkdirSync(join(home, 'tmp'), { recursive: true });
  const env = {
    PATH: `${home}/prefix/bin:${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`,
    HOME: home,
    VIREO_HOME: join(home, '.vireo'),
    XDG_CACHE_HOME: join(home, '.cache'),
    npm_config_prefix: join(home, 'prefix'),
    TARBALL: join(home, 'tmp/vireo.tgz'),
    ...(process.env.npm_config_registry && { npm_config_registry: process.env.npm_config_registry }),
  };
  return {
    isBare: false,
    path: (/** @type {string} */ path) => join(home, path),
    run: (/** @type {string} */ script) => capture('sh', ['-c', script], { cwd: home, env }),
    close: async () => {},
  };
}
