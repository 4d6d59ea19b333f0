import { X509Certificate } from 'node:crypto';
import { deepEqual } from '@vireo/api/json.ts';

type Data = Readonly<Record<string, string>>;

/**
 * What aggregated servers are to trust: what this server says, together with what others have written. Servers may
 * stand side by side, and an authority that was replaced has signed certificates that are still in use.
 * Undefined: it stands there already.
 */
export function mergedAuthentication(wanted: Data, existing: Data, now: Date): Data | undefined {
  const merged = Object.fromEntries(
    Object.entries(wanted).map(([key, value]) => [key, mergedValue(value, existing[key], now)]),
  );
  const whole = { ...existing, ...merged };
  return deepEqual(whole, existing) ? undefined : whole;
}

function mergedValue(wanted: string, existing: string | undefined, now: Date): string {
  if (existing === undefined) return wanted;
  if (!wanted.startsWith('[')) return union(certificatesIn(wanted), certificatesIn(existing, now)).join('');
  return JSON.stringify(union(namesIn(existing), namesIn(wanted)));
}

const union = (first: readonly string[], second: readonly string[]): string[] => [...new Set([...first, ...second])];

function namesIn(value: string): string[] {
  try {
    const names: unknown = JSON.parse(value);
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

/** The certificates of a bundle that are still valid; without a time: all. */
function certificatesIn(pem: string, now?: Date): string[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.filter((block) => !now || isValid(block, now)).map((block) => `${block}\n`);
}

function isValid(pem: string, now: Date): boolean {
  try {
    return new X509Certificate(pem).validToDate > now;
  } catch {
    return false;
  }
}
