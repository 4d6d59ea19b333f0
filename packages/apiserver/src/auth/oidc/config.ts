import { isObject } from '@vireo/api/json.ts';
import { parse } from 'yaml';
import { ConfigurationInvalid } from '../../configurationInvalid.ts';
import { checkConfiguration } from './check.ts';

/** How a value is taken from a token: from a claim, or computed by an expression. */
export interface ClaimOrExpression {
  readonly claim?: string;
  readonly expression?: string;
}

/** The same for names, which may get a prefix. */
export interface PrefixedClaim extends ClaimOrExpression {
  readonly prefix?: string;
}

/** One identity provider, as `jwt` of an AuthenticationConfiguration describes it. */
export interface JwtConfiguration {
  readonly issuer: {
    readonly url: string;
    readonly discoveryURL?: string;
    /** PEM. Absent: the authorities of the system. */
    readonly certificateAuthority?: string;
    readonly audiences: readonly string[];
    readonly audienceMatchPolicy?: string;
  };
  readonly claimValidationRules?: readonly {
    readonly claim?: string;
    readonly requiredValue?: string;
    readonly expression?: string;
    readonly message?: string;
  }[];
  readonly claimMappings: {
    readonly username: PrefixedClaim;
    readonly groups?: PrefixedClaim;
    readonly uid?: ClaimOrExpression;
    readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[];
  };
  readonly userValidationRules?: readonly { readonly expression: string; readonly message?: string }[];
}

const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.k8s.io/${version}`);

/**
 * Reads an AuthenticationConfiguration. Throws ConfigurationInvalid, which names every field that is wrong, in Kubernetes' words.
 * `ownIssuer` is the one of ServiceAccount tokens, which nobody else may be.
 */
export function parseAuthenticationConfiguration(
  yaml: string,
  source: string,
  ownIssuer: string,
): readonly JwtConfiguration[] {
  const document = readYaml(yaml, source);
  if (!VERSIONS.includes(String(document.apiVersion)) || document.kind !== 'AuthenticationConfiguration')
    throw new ConfigurationInvalid(
      `${source}: expected apiVersion ${VERSIONS[0]} and kind AuthenticationConfiguration, but found ${JSON.stringify(document.apiVersion)} and ${JSON.stringify(document.kind)}`,
    );
  const problems = checkConfiguration(document, ownIssuer);
  if (problems.length > 0)
    throw new ConfigurationInvalid(`${source} is invalid:\n${problems.map((each) => `  ${each}`).join('\n')}`);
  return (document.jwt ?? []) as readonly JwtConfiguration[];
}

function readYaml(yaml: string, source: string): Record<string, unknown> {
  let document: unknown;
  try {
    document = parse(yaml);
  } catch (cause) {
    throw new ConfigurationInvalid(`${source} is not valid YAML: ${(cause as Error).message}`, { cause });
  }
  if (!isObject(document)) throw new ConfigurationInvalid(`${source} does not contain an AuthenticationConfiguration`);
  return document;
}
