/** Kubernetes' libraries of IP addresses and networks. */
import { declare, type Library, memberOverload, overload } from '../declarations.ts';
import { partsWork } from '../meter.ts';
import { BOOL, INT, opaqueType, STRING } from '../types.ts';
import { CelError, NO_SUCH_OVERLOAD, OpaqueValue, type Result } from '../values/values.ts';
import {
  type Address,
  AddressError,
  formatAddress,
  isMapped,
  maskedBits,
  type Prefix,
  parseAddress,
  parsePrefix,
} from './addresses.ts';

const IP = opaqueType('net.IP');
const CIDR = opaqueType('net.CIDR');

class IpValue extends OpaqueValue {
  readonly type = IP;
  readonly address: Address;

  constructor(address: Address) {
    super();
    this.address = address;
  }

  equals(other: OpaqueValue): boolean {
    const { family, bits } = this.address;
    return other instanceof IpValue && other.address.family === family && other.address.bits === bits;
  }

  override get size(): number {
    return this.address.family === 4 ? 4 : 16;
  }

  override toText(): string {
    return formatAddress(this.address);
  }
}

class CidrValue extends OpaqueValue {
  readonly type = CIDR;
  readonly prefix: Prefix;

  constructor(prefix: Prefix) {
    super();
    this.prefix = prefix;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof CidrValue && other.toText() === this.toText();
  }

  override get size(): number {
    return Math.ceil(this.prefix.length / 8);
  }

  override toText(): string {
    return `${formatAddress(this.prefix.address)}/${this.prefix.length}`;
  }
}

function toIp(text: string): IpValue | CelError {
  partsWork();
  try {
    const address = parseAddress(text);
    const shown = JSON.stringify(text);
    if (address.zone !== undefined) return new CelError(`IP address ${shown} with zone value is not allowed`);
    if (isMapped(address)) return new CelError(`IPv4-mapped IPv6 address ${shown} is not allowed`);
    return new IpValue({ family: address.family, bits: address.bits });
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return new CelError(
      `IP Address ${JSON.stringify(text)} parse error during conversion from string: ${error.message}`,
    );
  }
}

function toCidr(text: string): CidrValue | CelError {
  const reason = 'network address parse error during conversion from string: ';
  partsWork();
  try {
    const prefix = parsePrefix(text);
    if (!isMapped(prefix.address)) return new CidrValue(prefix);
    return new CelError(`${reason}IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  } catch (error) {
    if (!(error instanceof AddressError)) throw error;
    return new CelError(reason + reason + error.message);
  }
}

const isCanonical = (text: string): Result => {
  const ip = toIp(text);
  return ip instanceof CelError ? ip : ip.toText() === text;
};

const contains = ({ address, length }: Prefix, other: Address): boolean =>
  address.family === other.family && maskedBits({ address, length }) === maskedBits({ address: other, length });

/** What is wrong with the address is lost, as in Kubernetes. */
const containsIp = (cidr: CidrValue, ip: IpValue | CelError): Result =>
  ip instanceof CelError ? NO_SUCH_OVERLOAD : contains(cidr.prefix, ip.address);

const containsCidr = (cidr: CidrValue, other: CidrValue | CelError): Result =>
  other instanceof CelError
    ? other
    : cidr.prefix.length <= other.prefix.length && contains(cidr.prefix, other.prefix.address);

function inside(network: string, address: Address): boolean {
  partsWork();
  return contains(parsePrefix(network), address);
}

/** Tests of an address by the networks that stand for something, as Go's netip has them. */
const tests: Readonly<Record<string, (address: Address) => boolean>> = {
  isUnspecified: ({ bits }) => bits === 0n,
  isLoopback: (address) => inside('127.0.0.0/8', address) || inside('::1/128', address),
  isLinkLocalMulticast: (address) =>
    inside('224.0.0.0/24', address) || (inside('ff00::/8', address) && ((address.bits >> 112n) & 0xfn) === 2n),
  isLinkLocalUnicast: (address) => inside('169.254.0.0/16', address) || inside('fe80::/10', address),
};

const isMulticast = (address: Address): boolean => inside('224.0.0.0/4', address) || inside('ff00::/8', address);

function isGlobalUnicast(address: Address): boolean {
  const isBroadcast = address.family === 4 && address.bits === 0xffffffffn;
  const others = ['isUnspecified', 'isLoopback', 'isLinkLocalUnicast'].map((name) => tests[name]?.(address));
  return !isBroadcast && !others.includes(true) && !isMulticast(address);
}

const idOf = (name: string): string => `ip_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;

/** `ip`, `cidr` and what can be asked of them. */
export const net: Library = {
  functions: [
    declare(
      'ip',
      overload('string_to_ip', [STRING], IP, toIp),
      memberOverload('cidr_ip', [CIDR], IP, ({ prefix }: CidrValue) => new IpValue(prefix.address)),
    ),
    declare(
      'isIP',
      overload('is_ip', [STRING], BOOL, (text: string) => !(toIp(text) instanceof CelError)),
    ),
    declare('ip.isCanonical', overload('ip_is_canonical', [STRING], BOOL, isCanonical)),
    declare(
      'family',
      memberOverload('ip_family', [IP], INT, ({ address }: IpValue) => BigInt(address.family)),
    ),
    ...Object.entries({ ...tests, isGlobalUnicast }).map(([name, test]) =>
      declare(
        name,
        memberOverload(idOf(name), [IP], BOOL, ({ address }: IpValue) => test(address)),
      ),
    ),
    declare('cidr', overload('string_to_cidr', [STRING], CIDR, toCidr)),
    declare(
      'isCIDR',
      overload('is_cidr', [STRING], BOOL, (text: string) => !(toCidr(text) instanceof CelError)),
    ),
    declare(
      'containsIP',
      memberOverload('cidr_contains_ip_string', [CIDR, STRING], BOOL, (cidr: CidrValue, text: string) =>
        containsIp(cidr, toIp(text)),
      ),
      memberOverload('cidr_contains_ip_ip', [CIDR, IP], BOOL, containsIp),
    ),
    declare(
      'containsCIDR',
      memberOverload('cidr_contains_cidr_string', [CIDR, STRING], BOOL, (cidr: CidrValue, text: string) =>
        containsCidr(cidr, toCidr(text)),
      ),
      memberOverload('cidr_contains_cidr', [CIDR, CIDR], BOOL, containsCidr),
    ),
    declare(
      'prefixLength',
      memberOverload('cidr_prefix_length', [CIDR], INT, ({ prefix }: CidrValue) => BigInt(prefix.length)),
    ),
    declare(
      'masked',
      memberOverload(
        'cidr_masked',
        [CIDR],
        CIDR,
        ({ prefix }: CidrValue) =>
          new CidrValue({ ...prefix, address: { ...prefix.address, bits: maskedBits(prefix) } }),
      ),
    ),
    declare(
      'string',
      overload('ip_to_string', [IP], STRING, (ip: IpValue) => ip.toText()),
      overload('cidr_to_string', [CIDR], STRING, (cidr: CidrValue) => cidr.toText()),
    ),
  ],
  types: [IP, CIDR],
};
