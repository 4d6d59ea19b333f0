import { ApiError } from '@vireo/api';
import { StartOptions, StopOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import { describe, expect, it } from 'vitest';
import { isDryRun, parseBody, readOptions } from './body.ts';

const bytes = (text: string, contentType = 'application/json') => ({ bytes: Buffer.from(text), contentType });
function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'accepted';
}

describe('a body', () => {
  it.each([
    ['nothing', undefined, undefined],
    ['an empty one', bytes(''), undefined],
    ['JSON', bytes('{"paused": true}'), { paused: true }],
    ['YAML', bytes('paused: true', 'application/yaml'), { paused: true }],
    ['a value handed over in process', { value: { paused: true }, contentType: 'application/json' }, { paused: true }],
  ])('%s', (_, body, expected) => {
    expect(parseBody(body)).toEqual(expected);
  });

  it('that cannot be read is refused', () => {
    expect(refusal(() => parseBody(bytes('{')))).toMatch(/^400 Can not unmarshal Request body to struct, error: /);
  });
});

describe('options', () => {
  const unreadable = (why: string) => `400 Can not unmarshal Request body to struct, error: ${why}`;
  it.each([
    [{ paused: 'yes' }, unreadable('body.paused is "yes", not of type boolean')],
    [{ dryRun: 'All' }, unreadable('body.dryRun is "All", not of type array')],
    [{ dryRun: [1] }, unreadable('body.dryRun[0] is 1, not of type string')],
    [[], unreadable('body is a list, not of type object')],
    [{ unknown: 1 }, 'accepted'],
    [null, 'accepted'],
  ])('%j: %s', (value, expected) => {
    expect(refusal(() => readOptions(value, StartOptions))).toBe(expected);
  });

  it('a whole number is one', () => {
    expect(refusal(() => readOptions({ gracePeriod: 1.5 }, StopOptions))).toBe(
      unreadable('body.gracePeriod is 1.5, not of type integer'),
    );
  });

  it.each([
    [{}, '', 'false'],
    [{ dryRun: [] }, '', 'false'],
    [{ dryRun: ['All'] }, '', 'true'],
    [{}, 'dryRun=All', 'true'],
  ])('dry run of %j with ?%s: %s', (options, query, expected) => {
    expect(String(isDryRun(options, new URLSearchParams(query), 'StartOptions'))).toBe(expected);
  });

  it('a dry run of some other kind is refused, not done for real', () => {
    expect(refusal(() => isDryRun({ dryRun: ['Some'] }, new URLSearchParams(), 'StartOptions'))).toBe(
      '422 StartOptions "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    );
  });
});
