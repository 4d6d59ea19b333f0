import { isIP } from 'node:net';

/** The rules for names inside objects, in Kubernetes' words; those of objects are in the api package. */

const CONFIG_KEY = '[-._a-zA-Z0-9]+';

/** Keys of a Secret or ConfigMap, which become file names. */
export function configKeyErrors(key: string): string[] {
  if (Buffer.byteLength(key) > 253) return ['must be no more than 253 characters'];
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    return [
      `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  ` +
        `or 'key-name', regex used for validation is '${CONFIG_KEY}')`,
    ];
  }
  if (key === '.') return ["must not be '.'"];
  if (key === '..') return ["must not be '..'"];
  return key.startsWith('..') ? ["must not start with '..'"] : [];
}

/** Names of environment variables: anything printable but the sign that ends the name. */
export const envNameErrors = (name: string): string[] =>
  /^[ -<>-~]+$/.test(name)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];

/** Names of ports, as IANA registers them. */
export const portNameErrors = (name: string): string[] => [
  ...(name.length > 15 ? ['must be no more than 15 characters'] : []),
  ...(/^[-a-z0-9]*$/.test(name) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
  ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
  ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
  ...(name.startsWith('-') || name.endsWith('-') ? ['must not begin or end with a hyphen'] : []),
];

export const httpHeaderNameErrors = (name: string): string[] =>
  /^[-A-Za-z0-9]+$/.test(name)
    ? []
    : [
        "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for " +
          "validation is '[-A-Za-z0-9]+')",
      ];

export const ipErrors = (address: string): string[] =>
  isIP(address) ? [] : ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
