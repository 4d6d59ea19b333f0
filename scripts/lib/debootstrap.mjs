import { ensureDebianPackages } from './debianPackages.mjs';
import { Failure } from './failure.mjs';
import { capture } from './spawn.mjs';

/**
 * The mirror and the release that this host installs from; undefined where it is no Debian.
 *
 * @returns {Promise<{ site: string, suite: string } | undefined>}
 */
export async function aptMirror() {
  const format = '$(SITE)|$(RELEASE)|$(COMPONENT)';
  const args = ['indextargets', '--format', format, 'Identifier: Packages'];
  const { code, stdout } = await capture('apt-get', args).catch(() => ({ code: 1, stdout: '' }));
  const targets = (code === 0 ? stdout.split('\n') : []).map((line) => line.split('|'));
  const [site, suite] =
    targets.find(([url, release, component]) => {
      return component === 'main' && /\/debian\/?$/.test(url) && /^[a-z]+$/.test(release);
    }) ?? [];
  return site ? { site, suite } : undefined;
}

/**
 * Unpacks and configures a minimal Debian below `target`.
 *
 * @param {import('./steps.mjs').Steps} steps
 * @param {{ site: string, suite: string }} mirror
 * @param {string} target
 */
export async function debootstrap(steps, { site, suite }, target) {
  await ensureDebianPackages(steps, ['debootstrap']);
  await steps.step(`debootstrap ${suite}`, async () => {
    const args = ['--variant=minbase', '--include=ca-certificates', suite, target, site];
    const { code, output } = await capture('debootstrap', args);
    if (code !== 0) throw new Failure(`debootstrap failed: ${output.trim().split('\n').slice(-5).join('\n')}`);
  });
}
