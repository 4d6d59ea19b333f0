import { expect, it } from 'vitest';
import { plainComplaint } from './complaint.ts';

it.each([
  [
    `Invalid value: "fast": spec.a.bandwidthPerMigration in body should match '^(\\+|-)?(([KMGTPE]i)|[numkMGTPE])?$'`,
    'Invalid value: "fast": must be a number with a unit, such as 64Mi, 2Gi or 500M.',
  ],
  [
    `Invalid value: "x": spec.b in body should match '^[a-c]$'`,
    'Invalid value: "x": does not have the form that the server wants.',
  ],
  ['Unsupported value: "x": supported values: "a"', 'Unsupported value: "x": supported values: "a"'],
])('%s is told as: %s', (text, told) => {
  expect(plainComplaint(text)).toBe(told);
});
