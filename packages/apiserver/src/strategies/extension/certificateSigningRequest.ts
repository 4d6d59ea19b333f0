import { X509Certificate } from 'node:crypto';
import {
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  type FieldError,
  field,
  timestamp,
} from '@vireo/api';
import { dnsLabel, dnsSubdomain } from '@vireo/api/names.ts';
import { parseCertificateRequest } from '@vireo/kube/certificates/parse.ts';
import { LEGACY_SIGNER } from '@vireo/kube/certificates/signers.ts';
import { defineStrategy } from '../define.ts';
import { duplicates, each, invalidFor } from '../fields.ts';
import { restore } from '../immutable.ts';

const DECISIONS = ['Approved', 'Denied'];
const ONCE_TRUE = [...DECISIONS, 'Failed'];

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

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

  /** `/approval` writes conditions, `/status` everything of the status but decisions, and nothing writes the spec. */
  prepareForUpdate(request, old, { subresource }) {
    restore(request, old, 'spec');
    const conditions = request.status?.conditions ?? [];
    const before = old.status?.conditions ?? [];
    if (subresource === 'approval') request.status = { ...old.status, conditions: dated(conditions, before) };
    else if (subresource === 'status') {
      const isDecision = ({ type }: { type: string }) => DECISIONS.includes(type);
      request.status = {
        ...request.status,
        conditions: dated([...before.filter(isDecision), ...conditions.filter((each) => !isDecision(each))], before),
      };
    }
  },

  validate: ({ spec, status }) => [
    ...validateRequest(spec?.request ?? ''),
    ...((spec?.usages ?? []).length === 0 ? [field.required('spec.usages')] : []),
    ...each(spec?.usages, 'spec.usages', (usage, path) =>
      USAGES.includes(usage) ? [] : [field.notSupported(path, usage, USAGES)],
    ),
    ...duplicates(
      spec?.usages,
      (usage) => usage,
      (index) => `spec.usages[${index}]`,
    ),
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
    ...validateConditions(status?.conditions),
    ...validateCertificate(status?.certificate),
  ],

  validateUpdate(request, old, { subresource }) {
    if (subresource === '') return [];
    const kept = new Set((request.status?.conditions ?? []).map(({ type }) => type));
    const lost = ONCE_TRUE.filter((type) => old.status?.conditions?.some((condition) => condition.type === type));
    const before = old.status?.certificate;
    return [
      ...lost
        .filter((type) => !kept.has(type))
        .map((type) => field.forbidden('status.conditions', `updates may not remove a condition of type "${type}"`)),
      ...(before && request.status?.certificate !== before
        ? [field.forbidden('status.certificate', 'updates may not modify existing certificate content')]
        : []),
    ];
  },
});

/** Conditions with their times: a condition that was there keeps when it became so. */
function dated(
  conditions: readonly CertificateSigningRequestCondition[],
  before: readonly CertificateSigningRequestCondition[],
): CertificateSigningRequestCondition[] {
  const now = timestamp(new Date());
  return conditions.map((condition) => {
    const same = before.find(({ type, status }) => type === condition.type && status === condition.status);
    return {
      ...condition,
      lastUpdateTime: condition.lastUpdateTime ?? now,
      lastTransitionTime: condition.lastTransitionTime ?? same?.lastTransitionTime ?? now,
    };
  });
}

function validateRequest(request: string): FieldError[] {
  try {
    parseCertificateRequest(request);
    return [];
  } catch (error) {
    return [field.invalid('spec.request', request, (error as Error).message)];
  }
}

function validateSigner(name: string | undefined): FieldError[] {
  const path = 'spec.signerName';
  if (!name) return [field.required(path)];
  if (name === LEGACY_SIGNER)
    return [field.invalid(path, name, 'the legacy signerName is not allowed via this API version')];
  const [domain = '', signer = '', ...rest] = name.split('/');
  if (!name.includes('/') || rest.length > 0)
    return [
      field.invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    ];
  const problems = (label: string, rule: (label: string) => string[]): string[] =>
    rule(label).map((problem) => `validating label "${label}": ${problem}`);
  const labels = domain.split('.');
  return [
    ...labels.flatMap((label) => invalidFor(path, domain, problems(label, dnsLabel))),
    ...(labels.length < 2
      ? [field.invalid(path, domain, 'should be a domain with at least two segments separated by dots')]
      : []),
    ...signer.split('.').flatMap((label) => invalidFor(path, signer, problems(label, dnsSubdomain))),
  ];
}

function validateConditions(conditions: readonly CertificateSigningRequestCondition[] | undefined): FieldError[] {
  const path = 'status.conditions';
  const decisions = (conditions ?? []).map(({ type }) => type).filter((type) => DECISIONS.includes(type));
  const second = decisions.find((type) => type !== decisions[0]);
  return [
    ...each(conditions, path, ({ type, status }, at) => {
      const supported = ONCE_TRUE.includes(type) ? ['True'] : ['False', 'True', 'Unknown'];
      return [
        ...(type ? [] : [field.required(`${at}.type`)]),
        ...(!status
          ? [field.required(`${at}.status`)]
          : supported.includes(status)
            ? []
            : [field.notSupported(`${at}.status`, status, supported)]),
      ];
    }),
    ...duplicates(
      conditions,
      ({ type }) => type,
      (index) => `${path}[${index}].type`,
    ),
    ...(second ? [field.invalid(path, second, 'Approved and Denied conditions are mutually exclusive')] : []),
  ];
}

/** From a beginning to the next line of dashes, and not to the end of the text if that ends nothing. */
const PEM_BLOCK = /-----BEGIN ([^-\n]+)-----[^-]*(?:-(?!----)[^-]*)*-----END \1-----/g;

function validateCertificate(certificate: string | undefined): FieldError[] {
  if (!certificate) return [];
  const invalid = (detail: string) => [field.invalid('status.certificate', '<certificate data>', detail)];
  const blocks = Buffer.from(certificate, 'base64').toString('latin1').matchAll(PEM_BLOCK);
  let count = 0;
  for (const [pem, type] of blocks) {
    count++;
    if (type !== 'CERTIFICATE') return invalid(`only CERTIFICATE PEM blocks are allowed, found "${type}"`);
    if (/^[\w-]+:/m.test(pem.split('\n').slice(1).join('\n'))) return invalid('no PEM block headers are permitted');
    try {
      new X509Certificate(pem);
    } catch {
      return invalid('x509: malformed certificate');
    }
  }
  return count === 0 ? invalid('must contain at least one CERTIFICATE PEM block') : [];
}
