import type { ApiError } from '@vireo/api';
import { required } from '@vireo/api/kinds/customResource.ts';
import { string, struct } from '@vireo/api/schema.ts';
import { expect, it } from 'vitest';
import { readInput } from './input.ts';

const Input = struct('io.test.DriveInput', 'A drive.', { deviceName: required(string, 'Its name.') });
const read = (value: unknown): unknown => {
  try {
    return readInput({ value, contentType: 'application/json' }, Input);
  } catch (error) {
    return (error as ApiError).status.details?.causes;
  }
};

it('an input may write names of fields in any case', () => {
  expect(read({ DEVICENAME: 'cd' })).toEqual({ deviceName: 'cd' });
});

it.each([
  ['a missing field', {}, 'deviceName', 'Required value'],
  ['a field of another type', { deviceName: 5 }, 'body', 'deviceName is 5, not of type string'],
  ['no object', [], 'body', 'must be an object'],
])('%s is a cause, which clients show', (_, body, field, message) => {
  expect(read(body)).toEqual([{ reason: expect.any(String), field, message: expect.stringContaining(message) }]);
});
