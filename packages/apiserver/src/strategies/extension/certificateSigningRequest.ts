import { type CertificateSigningRequest, type FieldError, field } from '@vireo/api';
import { pathSegment } from '@vireo/api/names.ts';
import { defineStrategy } from '../define.ts';
import { each, invalidFor } from '../fields.ts';
import { restore } from '../immutable.ts';

const DECISIONS = ['Approved', 'Denied'];

export const certificateSigningRequestStrategy = defineStrategy<CertificateSigningRequest>({
  nameRule: 'path',

  /** Who asks is what the server saw, never what the request claims. */
  prepareForCreate(request, { user }) {
    if (!request.spec) return;
    const { username: _u, uid: _i, groups: _g, extra: _e, ...asked } = request.spec;
    request.spec = {
      ...asked,
      username: user.username,
      ...(user.uid && { uid: user.uid }),
      groups: [...user.groups],
      ...(user.extra && {
        extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])),
      }),
    };
    request.status = {};
  },

  /** `/approval` writes decisions, `/status` everything else of the status, and nothing writes the spec. */
  prepareForUpdate(request, old, { subresource }) {
    restore(request, old, 'spec');
    const isDecision = ({ type }: { type: string }) => DECISIONS.includes(type);
    const conditions = request.status?.conditions ?? [];
    const before = old.status?.conditions ?? [];
    if (subresource === 'approval') {
      request.status = {
        ...old.status,
        conditions: [...conditions.filter(isDecision), ...before.filter((condition) => !isDecision(condition))],
      };
    } else if (subresource === 'status') {
      request.status = {
        ...request.status,
        conditions: [...conditions.filter((condition) => !isDecision(condition)), ...before.filter(isDecision)],
      };
    }
  },

  validate: ({ spec, status }) => [
    ...validatePem(spec?.request),
    ...((spec?.usages ?? []).length === 0 ? [field.required('spec.usages')] : []),
    ...validateSigner(spec?.signerName),
    ...(spec?.expirationSeconds !== undefined && spec.expirationSeconds < 600
      ? [
          field.invalid(
            'spec.expirationSeconds',
            spec.expirationSeconds,
            'may not specify a duration less than 600 seconds (10 minutes)',
          ),
        ]
      : []),
    ...validateConditions(status?.conditions?.map(({ type }) => type) ?? []),
    ...each(status?.conditions, 'status.conditions', (condition, path) =>
      DECISIONS.includes(condition.type) && condition.status !== 'True'
        ? [field.notSupported(`${path}.status`, condition.status, ['True'])]
        : [],
    ),
  ],

  validateUpdate(request, old, { subresource }) {
    const decided = (old.status?.conditions ?? []).map(({ type }) => type).filter((type) => DECISIONS.includes(type));
    const kept = new Set((request.status?.conditions ?? []).map(({ type }) => type));
    return subresource === 'approval'
      ? decided
          .filter((type) => !kept.has(type))
          .map((type) => field.forbidden('status.conditions', `updates may not remove a condition of type "${type}"`))
      : [];
  },
});

function validatePem(request: string | undefined): FieldError[] {
  const text = Buffer.from(request ?? '', 'base64').toString();
  return text.includes('-----BEGIN CERTIFICATE REQUEST-----')
    ? []
    : [field.invalid('spec.request', request ?? '', 'PEM block type must be CERTIFICATE REQUEST')];
}

function validateSigner(name: string | undefined): FieldError[] {
  if (!name) return [field.required('spec.signerName')];
  const [domain = '', path = '', ...rest] = name.split('/');
  if (!domain || !path || rest.length > 0) {
    return [
      field.invalid(
        'spec.signerName',
        name,
        'must be a fully qualified domain and path of the form "example.com/signer-name"',
      ),
    ];
  }
  return invalidFor('spec.signerName', name, pathSegment(path));
}

const validateConditions = (types: readonly string[]): FieldError[] =>
  types.includes('Approved') && types.includes('Denied')
    ? [field.invalid('status.conditions', 'Approved', 'Approved and Denied conditions are mutually exclusive')]
    : [];
