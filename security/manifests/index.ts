import { randomBytes } from 'node:crypto';
import { Namespace, type Status } from '@vireo/api';
import { leak } from '../fuzz/verdict.ts';
import type { Ground } from '../ground.ts';
import { inTurns } from '../inTurns.ts';
import type { Part, Trial } from '../part.ts';
import type { Answer, Wire } from '../wire.ts';
import { domainOf } from './domains.ts';
import { forReal } from './forReal.ts';
import { formatPath, type Path, stringPaths, textsOf, withAt } from './paths.ts';
import { asVmi, NAMESPACE, otherSeeds, type Seed, vmiSeeds } from './seeds.ts';
import { HARMLESS, type HostileText, hostileTexts } from './texts.ts';
import { traces } from './traces.ts';
import { skeletons } from './xml.ts';

/** How many texts every field of a schema gets; fields that good objects have get all of them. */
const TEXTS_EACH = 3;

export const manifests: Part = {
  name: 'manifests',
  about: 'hostile strings in every field of every kind: rejected with the field, or treated as plain text',
  async run(ground, trial) {
    const marker = `vireo-owned-${randomBytes(6).toString('hex')}`;
    await ground.client.of(Namespace).create({ metadata: { name: NAMESPACE } });
    const wire = ground.wire(ground.admin);
    const logged = ground.output().length;
    const accepted: Spoilt[] = [];
    for (const seed of [...vmiSeeds(), ...otherSeeds()]) {
      if (!(await isGood(seed, wire, trial))) continue;
      const cases = casesOf(seed, hostileTexts(marker), trial);
      await inTurns(cases, async (spoilt) => {
        if (await isAccepted(spoilt, wire, ground, trial)) accepted.push(spoilt);
      });
    }
    trial.progress(`${trial.checks} objects tried, ${accepted.length} accepted`);
    await domains(
      accepted.filter(({ seed }) => seed.kind.kind === 'VirtualMachineInstance'),
      wire,
      trial,
    );
    await forReal(ground, marker, trial);
    for (const trace of await traces(ground, marker, ground.output().slice(logged))) trial.check(trace);
    trial.check(await ground.problem());
  },
};

/** A seed with a hostile text in one of its fields. */
export interface Spoilt {
  readonly seed: Seed;
  readonly path: Path;
  readonly hostile: HostileText;
}

const describe = ({ seed, path, hostile }: Spoilt): string =>
  `${hostile.label} in ${formatPath(path)} of ${seed.kind.kind} (${seed.title})`;

const spoil = ({ seed, path }: Spoilt, text: string): unknown => withAt(seed.object, path, text);

function casesOf(seed: Seed, texts: readonly HostileText[], trial: Trial): Spoilt[] {
  const own = textsOf(seed.object).filter(([first]) => first !== 'apiVersion' && first !== 'kind');
  const known = new Set(own.map(formatPath));
  const fields = stringPaths(seed.kind.schema).filter(
    (path) =>
      isWritten(path) &&
      !known.has(formatPath(path)) &&
      (seed.kind.kind !== 'VirtualMachineInstance' || trial.random.next() < 0.15),
  );
  const some = fields.flatMap((path) =>
    Array.from({ length: TEXTS_EACH }, () => [path, trial.random.pick(texts)] as const),
  );
  const all = own.flatMap((path) => texts.map((hostile) => [path, hostile] as const));
  return [...all, ...some]
    .filter(() => !trial.isShort || trial.random.next() < 0.02)
    .map(([path, hostile]) => ({ seed, path, hostile }));
}

/** What its user writes: the status and most of the metadata are the server's. */
const isWritten = ([first, second]: Path): boolean =>
  first === 'metadata'
    ? ['name', 'generateName', 'labels', 'annotations', 'finalizers', 'ownerReferences'].includes(String(second))
    : !['status', 'apiVersion', 'kind'].includes(String(first));

async function tryOut({ kind }: Seed, object: unknown, wire: Wire): Promise<Answer> {
  const path = `/apis/${kind.group}/${kind.version}/namespaces/${NAMESPACE}/${kind.plural}?dryRun=All`;
  const headers = { 'content-type': 'application/json' };
  return wire.send({ method: 'POST', path: path.replace('/apis//', '/api/'), headers, body: JSON.stringify(object) });
}

/** Whether this server takes the seed at all: what needs a gate that is closed has nothing to spoil. */
async function isGood(seed: Seed, wire: Wire, trial: Trial): Promise<boolean> {
  const { status, body } = await tryOut(seed, seed.object, wire);
  if (status === 201) return true;
  trial.check(status >= 500 ? `${seed.title} got ${status}: ${body.slice(0, 300)}` : undefined);
  return false;
}

async function isAccepted(spoilt: Spoilt, wire: Wire, { home }: Ground, trial: Trial): Promise<boolean> {
  const answer = await tryOut(spoilt.seed, spoil(spoilt, spoilt.hostile.text), wire);
  const problem = refusalProblem(answer, spoilt.path, home);
  trial.check(problem && `${describe(spoilt)} ${problem}`);
  return answer.status === 201;
}

/** A refusal says which field it is about, be it another that stands in the way; and no answer shows our insides. */
function refusalProblem({ status, body }: Answer, path: Path, home: string): string | undefined {
  if (status === 201) return undefined;
  if (status < 400 || status >= 500) return `was answered with ${status}: ${body.slice(0, 300)}`;
  const shown = leak(body, home);
  if (shown) return `showed ${shown}: ${body.slice(0, 300)}`;
  const { message = '', details } = JSON.parse(body) as Status;
  const isNamed = details?.causes?.some(({ field }) => field) || path.some((step) => message.includes(String(step)));
  return isNamed ? undefined : `was refused without a field: ${body.slice(0, 400)}`;
}

const BATCH_SIZE = 100;

/** What was accepted becomes a domain of the same elements as with a harmless text, or the converter refuses it. */
async function domains(accepted: readonly Spoilt[], wire: Wire, trial: Trial): Promise<void> {
  for (let at = 0; at < accepted.length; at += BATCH_SIZE) {
    const batch = accepted.slice(at, at + BATCH_SIZE);
    const [hostile, harmless] = await Promise.all([
      Promise.all(batch.map((spoilt) => xmlOf(spoilt, [spoilt.hostile.text], wire))),
      Promise.all(batch.map((spoilt) => xmlOf(spoilt, [HARMLESS, `/${HARMLESS}`, '5'], wire))),
    ]);
    const shapes = skeletons(
      hostile.map((domain, i) => ({ name: String(i), xml: 'xml' in domain ? domain.xml : '<refused/>' })),
    );
    const wanted = skeletons(
      harmless.map((domain, i) => ({ name: String(i), xml: 'xml' in domain ? domain.xml : '<refused/>' })),
    );
    for (const [i, spoilt] of batch.entries()) {
      const domain = hostile[i]!;
      if ('fault' in domain) trial.check(`${describe(spoilt)}: the converter fell over: ${domain.fault}`);
      else if ('refusal' in domain) trial.check(undefined);
      else if (shapes[i] === undefined) trial.check(`${describe(spoilt)} makes a domain that is not well-formed`);
      else if ('xml' in harmless[i]! && shapes[i] !== wanted[i])
        trial.check(`${describe(spoilt)} changes the domain: ${difference(wanted[i] ?? '', shapes[i])}`);
      else trial.check(undefined);
    }
  }
}

/** The domain with the first of these texts that the server takes. */
async function xmlOf(spoilt: Spoilt, texts: readonly string[], wire: Wire): Promise<ReturnType<typeof domainOf>> {
  for (const text of texts) {
    const { status, body } = await tryOut(spoilt.seed, spoil(spoilt, text), wire);
    if (status === 201) return domainOf(asVmi(JSON.parse(body)));
  }
  return { refusal: 'the server refuses it' };
}

function difference(wanted: string, found: string): string {
  const [before, after] = [wanted.split('\n'), found.split('\n')];
  const at = after.findIndex((line, i) => line !== before[i]);
  return `${JSON.stringify(after.slice(at, at + 3))} where ${JSON.stringify(before.slice(at, at + 3))} was expected`;
}
