/** Kubernetes' library of permissions: `authorizer.group('').resource('pods').check('list').allowed()`. */
import { dnsLabel, dnsSubdomain } from '@vireo/api/names.ts';
import { declare, type Library, memberOverload } from '../declarations.ts';
import { BOOL, type CelType, STRING, structType } from '../types.ts';
import { CelError, OpaqueValue, type Result } from '../values/values.ts';

const typeOf = (name: string): CelType => structType(`kubernetes.authorization.${name}`);

/** The type of the variable `authorizer`. */
export const AUTHORIZER = typeOf('Authorizer');
/** The type of the variable `authorizer.requestResource`. */
export const RESOURCE_CHECK = typeOf('ResourceCheck');
const PATH_CHECK = typeOf('PathCheck');
const GROUP_CHECK = typeOf('GroupCheck');
const DECISION = typeOf('Decision');

/** What is asked: may the user, or a service account, do this? */
export interface Question {
  /** Absent: the user who made the request. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
  readonly verb: string;
  /** Of requests that are for no resource. */
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

export interface Answer {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly error?: string;
}

type Ask = (question: Question) => Answer;

/** A question that is being put together. */
class Check extends OpaqueValue {
  readonly type: CelType;
  readonly ask: Ask;
  readonly question: Omit<Question, 'verb'>;

  constructor(type: CelType, ask: Ask, question: Omit<Question, 'verb'>) {
    super();
    this.type = type;
    this.ask = ask;
    this.question = question;
  }

  /** The same with more said. */
  with(more: Partial<Question>, type = this.type): Check {
    return new Check(type, this.ask, { ...this.question, ...more });
  }

  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

class Decision extends OpaqueValue {
  readonly type = DECISION;
  readonly answer: Answer;

  constructor(answer: Answer) {
    super();
    this.answer = answer;
  }

  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

/** The value of the variable `authorizer`; `ask` answers for the user who made the request. */
export const authorizerValue = (ask: Ask): OpaqueValue => new Check(AUTHORIZER, ask, {});

/** The value of `authorizer.requestResource`: what the request is for. */
export const requestResourceValue = (ask: Ask, resource: Omit<Question, 'verb'>): OpaqueValue =>
  new Check(RESOURCE_CHECK, ask, resource);

/** A call that says more about the question. */
const saying = (name: string, id: string, from: CelType, to: CelType, say: (check: Check, text: string) => Result) =>
  declare(name, memberOverload(id, [from, STRING], to, say));

const about = (part: keyof Question, id = `resourcecheck_${part.toLowerCase()}`) =>
  saying(part, id, RESOURCE_CHECK, RESOURCE_CHECK, (check, text) => check.with({ [part]: text }));

function serviceAccount(check: Check, namespace: string, name: string): Result {
  if (dnsSubdomain(name).length > 0) return new CelError('Invalid service account name');
  if (dnsLabel(namespace).length > 0) return new CelError('Invalid service account namespace');
  return check.with({ serviceAccount: { namespace, name } });
}

const ask = (check: Check, verb: string): Result => new Decision(check.ask({ ...check.question, verb }));

const told = (name: string, type: CelType, of: (answer: Answer) => Result) =>
  declare(
    name,
    memberOverload(`decision_${name}`, [DECISION], type, ({ answer }: Decision) => of(answer)),
  );

/** Every environment has the functions; what they start from is a variable that only policies have. */
export const authorization: Library = {
  functions: [
    saying('path', 'authorizer_path', AUTHORIZER, PATH_CHECK, (check, path) =>
      path.trim() === '' ? new CelError('path must not be empty') : check.with({ path }, PATH_CHECK),
    ),
    saying('group', 'authorizer_group', AUTHORIZER, GROUP_CHECK, (check, group) => check.with({ group }, GROUP_CHECK)),
    saying('resource', 'groupcheck_resource', GROUP_CHECK, RESOURCE_CHECK, (check, resource) =>
      resource.trim() === '' ? new CelError('resource must not be empty') : check.with({ resource }, RESOURCE_CHECK),
    ),
    declare(
      'serviceAccount',
      memberOverload('authorizer_serviceaccount', [AUTHORIZER, STRING, STRING], AUTHORIZER, serviceAccount),
    ),
    about('subresource'),
    about('namespace'),
    about('name'),
    about('fieldSelector', 'authorizer_fieldselector'),
    about('labelSelector', 'authorizer_labelselector'),
    declare(
      'check',
      memberOverload('pathcheck_check', [PATH_CHECK, STRING], DECISION, ask),
      memberOverload('resourcecheck_check', [RESOURCE_CHECK, STRING], DECISION, ask),
    ),
    told('allowed', BOOL, ({ allowed }) => allowed),
    told('reason', STRING, ({ reason = '' }) => reason),
    told('errored', BOOL, ({ error }) => error !== undefined),
    told('error', STRING, ({ error = '' }) => error),
  ],
};
