/** The rules for names and addresses inside specs, in Kubernetes' words. Each returns what is wrong. */

const CONFIG_KEY = '[-._a-zA-Z0-9]+';
const HEADER = '[-A-Za-z0-9]+';

/** Keys of ConfigMaps and Secrets, which become file names. */
export function configKeyErrors(key: string): string[] {
  if (key.length > 253) return ['must be no more than 253 characters'];
  const errors = /^[-._a-zA-Z0-9]+$/.test(key)
    ? []
    : [
        `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '${CONFIG_KEY}')`,
      ];
  if (key === '.') return [...errors, "must not be '.'"];
  if (key === '..') return [...errors, "must not be '..'"];
  return key.startsWith('..') ? [...errors, "must not start with '..'"] : errors;
}

/** Names of environment variables: anything printable but `=`. */
export function envNameErrors(name: string): string[] {
  if (name === '') return ['environment variable name must not be empty'];
  return /^[ -<>-~]+$/.test(name)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** Names of ports, as in a Service's targetPort. */
export function portNameErrors(name: string): string[] {
  const errors: string[] = [];
  if (name.length > 15) errors.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name)) errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) errors.push('must contain at least one letter (a-z)');
  if (name.includes('--')) errors.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

export const httpHeaderNameErrors = (name: string): string[] =>
  /^[-A-Za-z0-9]+$/.test(name)
    ? []
    : [
        `a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '${HEADER}')`,
      ];

const V4 = /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.(?!$)|$)){4}$/;

/** IPv4 or IPv6 addresses, without zone and prefix. */
export const ipErrors = (address: string): string[] =>
  V4.test(address) || isV6(address) ? [] : ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];

const isV6 = (address: string): boolean =>
  address.includes(':') && !address.includes('%') && URL.canParse(`http://[${address}]/`);
