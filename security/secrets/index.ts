import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Namespace } from '@vireo/api';
import type { Ground } from '../ground.ts';
import type { Part, Trial } from '../part.ts';
import { tokenOf } from '../permissions/people.ts';
import { Canaries } from './canaries.ts';
import { places, sandboxProblems } from './places.ts';
import { NAMESPACE, plant } from './plant.ts';

export const secrets: Part = {
  name: 'secrets',
  about:
    'marker values in Secrets and credentials: none appears in a log, event, status, bundle, domain, command line or response',
  async run(ground, trial) {
    const canaries = new Canaries();
    await ground.client.of(Namespace).create({ metadata: { name: NAMESPACE } });
    await plant(ground, canaries);
    await keysOf(ground, canaries);
    await answers(ground, canaries, trial);
    for (const { name, text } of await places(ground)) {
      const found = canaries.in(text);
      trial.check(found.length > 0 ? `${name} has the ${found.join(', the ')}` : undefined);
    }
    for (const problem of await sandboxProblems(ground.home)) trial.check(problem);
  },
};

/** What the server has of its own to keep. */
async function keysOf(ground: Ground, canaries: Canaries): Promise<void> {
  const { token = '' } = await tokenOf(ground, NAMESPACE, 'default');
  canaries.add('token of an account', token.split('.')[2] ?? token);
  for (const name of ['ca.key', 'admin.key', 'sa.key', 'apiserver.key', 'front-proxy-ca.key']) {
    const pem = await readFile(join(ground.home, 'pki', name), 'utf8');
    canaries.add(`private key ${name}`, pem.split('\n')[1] ?? '');
  }
}

/** Refusals repeat what they refuse, but not what proves who asks. */
async function answers(ground: Ground, canaries: Canaries, trial: Trial): Promise<void> {
  const wire = ground.wire({ ca: ground.ca, token: canaries.of('token that is not good') });
  const paths = ['/api/v1/secrets', '/v1beta1/upload', '/v1/harvester', `/api/v1/namespaces/${NAMESPACE}/pods/x/log`];
  for (const path of paths)
    for (const method of ['GET', 'POST']) {
      const { body, headers } = await wire.send({ method, path, body: method === 'POST' ? '{}' : undefined });
      const found = canaries.in(`${body}${JSON.stringify(headers)}`);
      trial.check(found.length > 0 ? `the answer to ${method} ${path} has the ${found.join(', the ')}` : undefined);
    }
}
