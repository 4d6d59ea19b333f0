import type { Ground } from '../ground.ts';
import { inTurns } from '../inTurns.ts';
import type { Part, Trial } from '../part.ts';
import { discoverResources } from '../routes.ts';
import type { Answer } from '../wire.ts';
import { type Cell, cellsOf } from './cells.ts';
import { makePeople, OTHER, OWN, type Person } from './people.ts';
import { allows } from './policy.ts';

/** How much of the matrix a short round asks. */
const SHORT_SHARE = 0.1;

export const permissions: Part = {
  name: 'permissions',
  about: 'every verb on every resource and path, as everybody: allowed or refused as the policy says',
  async run(ground, trial) {
    const people = await makePeople(ground);
    const resources = await discoverResources(ground.wire(ground.admin));
    const cells = resources.flatMap((resource) => cellsOf(resource, [OWN, OTHER]));
    trial.progress(`${resources.length} resources, ${cells.length} questions, ${people.length} people`);
    for (const person of people) {
      const asked = trial.isShort ? cells.filter(() => trial.random.next() < SHORT_SHARE) : cells;
      await inTurns(asked, (cell) => ask(cell, person, trial));
      await askPaths(person, trial);
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

/** What is wrong with an answer. Whoever is let through may still be told that there is nothing, or nothing good. */
function verdict({ status, body }: Answer, isAllowed: boolean, question: string): string | undefined {
  // 501: an action that says of itself that it is not there yet.
  if (status >= 500 && status !== 501) return `${question}: ${status} ${body.slice(0, 300)}`;
  const isRefused = status === 403 || status === 401;
  if (isRefused === !isAllowed) return undefined;
  return `${question}: ${isAllowed ? 'should be allowed' : 'should be refused'}, got ${status} ${body.slice(0, 300)}`;
}

const PUBLIC = ['/healthz', '/livez', '/readyz', '/version'];
const FOR_KNOWN = ['/api', '/apis', '/api/v1', '/apis/kubevirt.io/v1', '/openapi/v2', '/openapi/v3'];
const FOR_ACCOUNTS = ['/.well-known/openid-configuration', '/openid/v1/jwks'];
const FOR_ADMINISTRATORS = ['/', '/metrics', '/healthz/ping', '/logs', '/debug/pprof', '/nothing/of/that/name'];

async function askPaths(person: Person, trial: Trial): Promise<void> {
  const isAdministrator = person.name === 'cluster-admin';
  const isAccount = person.name === 'account' || person.name === 'node';
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
