import { describe, expect, it } from 'vitest';
import { parseCapabilities, parseTsc } from './capabilities.ts';

const guests = (features: string): string =>
  `<domainCapabilities><features>${features}</features></domainCapabilities>`;
const protectionsOf = (features: string) => parseCapabilities('amd64', '', guests(features)).protections;

describe('what protects guests from their host', () => {
  it.each([
    ['nothing', "<sev supported='no'/>", []],
    ['SEV', "<sev supported='yes'><cbitpos>47</cbitpos><maxESGuests>0</maxESGuests></sev>", ['sev']],
    ['SEV-ES', "<sev supported='yes'><maxESGuests>15</maxESGuests></sev>", ['sev', 'sev-es']],
    [
      'SEV-SNP and TDX by their types',
      "<launchSecurity supported='yes'><enum name='sectype'><value>sev-snp</value><value>tdx</value></enum></launchSecurity>",
      ['sev-snp', 'tdx'],
    ],
    ['protected VMs of s390x', "<s390-pv supported='yes'/>", ['s390-pv']],
  ])('%s', (_, features, expected) => {
    expect(protectionsOf(features)).toEqual(expected);
  });
});

it.each([
  ["<host><cpu><counter name='tsc' frequency='2496000000' scaling='yes'/></cpu></host>", true],
  ["<host><cpu><counter name='tsc' frequency='2496000000' scaling='no'/></cpu></host>", false],
])('the clock of the processor is read from %s', (xml, isScalable) => {
  expect(parseTsc(`<capabilities>${xml}</capabilities>`)).toEqual({ frequencyHz: 2_496_000_000, isScalable });
});

it('a host without such a clock has none', () => {
  expect(parseTsc('<capabilities><host><cpu/></host></capabilities>')).toBeUndefined();
});
