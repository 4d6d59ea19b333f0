import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startIdentityProvider } from '@vireo/apiserver/testing/identityProvider.ts';
import { expect, it } from 'vitest';
import { kubectlFor } from './kubectl.ts';
import { runVireo, startVireo, temporaryHome } from './vireo.ts';

it('a person logs in with a token of an identity provider, and a wrong configuration says what is wrong', async () => {
  const [{ home, remove }, idp] = await Promise.all([temporaryHome(), startIdentityProvider()]);
  const file = join(home, 'idp.yaml');
  const configuration = (audiences: string[]) =>
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt: [
        {
          issuer: { url: idp.issuer, audiences, certificateAuthority: idp.caPem },
          claimMappings: {
            username: { expression: "'oidc:' + claims.sub" },
            groups: { claim: 'groups', prefix: 'oidc:' },
          },
        },
      ],
    });
  await writeFile(file, configuration([]));
  const refused = await runVireo(['up', '--api-only', '--home', home, '--port', '0', '--authentication-config', file]);
  expect(refused.code).toBe(1);
  expect(refused.output).toContain(
    'jwt[0].issuer.audiences: Required value: at least one jwt.issuer.audiences is required',
  );

  await writeFile(file, configuration(['vireo']));
  const vireo = await startVireo({ home, options: ['--authentication-config', file] });
  try {
    const kubectl = kubectlFor(vireo.kubeconfig, join(home, 'kubectl-cache'));
    await kubectl.do('create clusterrolebinding staff --clusterrole=view --group=oidc:developers');
    const as = (token: string) =>
      `--token=${token} --server=https://127.0.0.1:${vireo.port} --kubeconfig= --certificate-authority=${home}/pki/ca.crt`;
    const token = await idp.token({ groups: ['developers'] });
    expect(await kubectl(`auth whoami -o jsonpath={.status.userInfo.username} ${as(token)}`)).toBe('oidc:ada');
    expect(await kubectl(`get configmaps -n kube-public -o name ${as(token)}`)).toContain('configmap/cluster-info');
    const another = await idp.token({ aud: 'another' });
    expect(await kubectl(`get configmaps ${as(another)}`)).toContain('You must be logged in to the server');
  } finally {
    await Promise.all([vireo.stop(), idp.close()]);
    await remove();
  }
});
