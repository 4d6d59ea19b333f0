import type { Ground } from '../ground.ts';
import { inTurns } from '../inTurns.ts';
import type { Part, Trial } from '../part.ts';
import { discoverResources } from '../routes.ts';
import { type Cell, cellsOf } from './cells.ts';
import { makePeople, OTHER, OWN, type Person } from './people.ts';
import { allows, HARVESTER_ACTIONS } from './policy.ts';
import { askSubscriptions, topicsOf } from './subscribe.ts';
import { verdict } from './verdict.ts';

/** How much of the matrix a short round asks. */
const SHORT_SHARE = 0.05;

export const permissions: Part = {
  name: 'permissions',
  about: 'every verb on every resource and path, as every kind of user: allowed or forbidden as the policy says',
  async run(ground, trial) {
    const people = await makePeople(ground);
    const resources = await discoverResources(ground.wire(ground.admin));
    const cells = resources.flatMap((resource) => cellsOf(resource, [OWN, OTHER]));
    const topics = topicsOf(resources);
    const questions = cells.length + topics.length;
    trial.progress(`${resources.length} resources, ${questions} questions, ${people.length} people`);
    for (const person of people) {
      const asked = trial.isShort ? cells.filter(() => trial.random.next() < SHORT_SHARE) : cells;
      await inTurns(asked, (cell) => ask(cell, person, trial));
      await askSubscriptions(person, topics, trial);
      await askPaths(person, trial);
      await askBeside(person, trial);
    }
    await pretend(ground, trial);
  },
};

async function ask(cell: Cell, person: Person, trial: Trial): Promise<void> {
  const { resource, verb, namespace, sent } = cell;
  const rules = namespace === OWN ? [...person.there, ...person.everywhere] : person.everywhere;
  const isAllowed = allows(rules, verb, resource.group, resource.name);
  const answer = await person.wire.send(sent, { headersOnly: cell.isWatch });
  const where = namespace ? `in ${namespace}` : 'at the cluster scope';
  const question = `${person.name}: ${verb} ${resource.name} of ${resource.group || 'core'}/${resource.version} ${where}`;
  trial.check(verdict(answer, isAllowed, question));
}

const PUBLIC = ['/healthz', '/livez', '/readyz', '/version'];
const FOR_KNOWN = ['/api', '/apis', '/api/v1', '/apis/kubevirt.io/v1', '/openapi/v2', '/openapi/v3'];
const FOR_ACCOUNTS = ['/.well-known/openid-configuration', '/openid/v1/jwks'];
const FOR_ADMINISTRATORS = ['/', '/metrics', '/healthz/ping', '/logs', '/debug/pprof', '/nothing/of/that/name'];

async function askPaths(person: Person, trial: Trial): Promise<void> {
  const isAdministrator = person.name === 'cluster-admin';
  const isAccount = person.name === 'account' || person.name === 'simulated';
  const groups: readonly [readonly string[], boolean][] = [
    [PUBLIC, true],
    [FOR_KNOWN, !person.isAnonymous],
    [FOR_ACCOUNTS, isAccount || isAdministrator],
    [FOR_ADMINISTRATORS, isAdministrator],
  ];
  for (const [paths, isAllowed] of groups)
    for (const path of paths) {
      const answer = await person.wire.send({ method: 'GET', path });
      trial.check(verdict(answer, isAllowed, `${person.name}: GET ${path}`));
    }
}

const EXPORT = `/api/export.kubevirt.io/v1/namespaces/${OWN}/virtualmachineexports/x/volumes/x/disk.img`;

/** What has rules of its own: uploads take a token for the claim, exports their password, Harvester's Steve API roles. */
async function askBeside(person: Person, trial: Trial): Promise<void> {
  for (const [method, path] of [
    ['POST', '/v1beta1/upload'],
    ['POST', '/v1alpha1/upload-form-async'],
    ['GET', EXPORT],
  ] as const) {
    const { status } = await person.wire.send({ method, path, ...(method === 'POST' && { body: 'disk' }) });
    trial.check([400, 401, 403, 404].includes(status) ? undefined : `${person.name}: ${method} ${path} got ${status}`);
  }
  const vms = '/v1/harvester/kubevirt.io.virtualmachines';
  const start = await person.wire.send({ method: 'POST', path: `${vms}/${OWN}/nothing?action=start`, body: '{}' });
  const isAllowed = allows(
    [...person.there, ...person.everywhere],
    'create',
    HARVESTER_ACTIONS,
    'virtualmachines/start',
  );
  trial.check(verdict(start, isAllowed, `${person.name}: start a VM by the Steve API`));
  if (!person.isAnonymous) return;
  trial.check(verdict(await person.wire.send({ method: 'GET', path: vms }), false, 'anonymous: list by the Steve API'));
}

/** Nobody becomes somebody else by saying so. */
async function pretend(ground: Ground, trial: Trial): Promise<void> {
  const path = `/api/v1/namespaces/${OWN}/secrets`;
  const nobody = ground.wire(ground.certificateOf('nobody'));
  const claims: readonly Readonly<Record<string, string>>[] = [
    { 'impersonate-user': 'cluster-admin' },
    { 'impersonate-user': 'nobody', 'impersonate-group': 'system:masters' },
    { 'x-remote-user': 'cluster-admin', 'x-remote-group': 'system:masters' },
    { authorization: 'Basic YWRtaW46YWRtaW4=' },
  ];
  for (const headers of claims) {
    const { status } = await nobody.send({ method: 'GET', path, headers });
    trial.check(status === 403 ? undefined : `nobody with ${JSON.stringify(headers)} got ${status} from ${path}`);
  }
}
