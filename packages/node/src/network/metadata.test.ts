import { METADATA } from '@vireo/network';
import { ALWAYS_OFF_LIMITS } from '@vireo/oci/offLimits.ts';
import { expect, it } from 'vitest';

it('a node downloads from nowhere that its guests may not go because clouds serve credentials there', () => {
  expect(ALWAYS_OFF_LIMITS).toEqual([...METADATA.IPv4, ...METADATA.IPv6]);
});
