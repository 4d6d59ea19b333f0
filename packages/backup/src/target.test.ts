import { expect, it, test } from 'vitest';
import { describeTarget, exportOf, parseTarget } from './target.ts';

const S3 = { type: 's3', endpoint: 'https://s3.example.com:9000', bucketName: 'backups', bucketRegion: 'us-east-1' };

test.each(['', ' ', '{}', '{"type":"","endpoint":"","bucketName":""}'])('%j configures no target', (value) => {
  expect(parseTarget(value)).toBeUndefined();
});

it('reads every field, and keeps the credentials apart', () => {
  const value = {
    ...S3,
    accessKeyId: 'me',
    secretAccessKey: 'x',
    virtualHostedStyle: true,
    refreshIntervalInSeconds: 60,
  };
  expect(parseTarget(JSON.stringify(value))).toEqual({
    target: { ...S3, virtualHostedStyle: true },
    credentials: { accessKeyId: 'me', secretAccessKey: 'x' },
    refreshIntervalInSeconds: 60,
  });
  expect(parseTarget('{"type":"directory","endpoint":"file:///mnt/backup"}')?.target).toEqual({
    type: 'directory',
    endpoint: 'file:///mnt/backup',
  });
});

test.each([
  ['no JSON', 'value: expected JSON'],
  ['[]', 'value: expected a JSON object'],
  ['{"type":"ftp","endpoint":"ftp://x"}', 'type: invalid value "ftp"'],
  ['{"endpoint":"nfs://server:/x"}', 'type: invalid value ""'],
  ['{"type":"directory","endpoint":"/mnt"}', 'endpoint: invalid value "/mnt"'],
  ['{"type":"directory","endpoint":"file:///mnt/../etc"}', 'endpoint: invalid value'],
  ['{"type":"directory","endpoint":"file:///"}', 'endpoint: invalid value'],
  ['{"type":"nfs","endpoint":"server:/x"}', 'endpoint: invalid value "server:/x"'],
  ['{"type":"nfs","endpoint":"nfs://-o:/x"}', 'endpoint: invalid value'],
  ['{"type":"nfs","endpoint":"nfs://server:/x?nfsOptions=a b"}', 'endpoint: invalid value'],
  ['{"type":"nfs","endpoint":7}', 'endpoint: invalid value 7: must be a string'],
  [JSON.stringify({ ...S3, bucketName: '' }), 'bucketName: invalid value ""'],
  [JSON.stringify({ ...S3, bucketName: '../x' }), 'bucketName: invalid value "../x"'],
  [JSON.stringify({ ...S3, bucketRegion: '' }), 'bucketRegion: invalid value ""'],
  [JSON.stringify({ ...S3, endpoint: 'https://me:x@s3.example.com' }), 'endpoint: invalid value'],
  [JSON.stringify({ ...S3, cert: 'x' }), 'cert: expected certificates in PEM'],
  [JSON.stringify({ ...S3, virtualHostedStyle: 'yes' }), 'virtualHostedStyle: invalid value "yes"'],
  [JSON.stringify({ ...S3, refreshIntervalInSeconds: -1 }), 'refreshIntervalInSeconds: invalid value -1'],
])('%s is refused', (value, message) => {
  expect(() => parseTarget(value)).toThrow(message);
});

it('reads what to mount', () => {
  expect(exportOf('nfs://server:/srv/backup?nfsOptions=vers=4.2,soft')).toEqual({
    server: 'server',
    path: '/srv/backup',
    options: 'vers=4.2,soft',
  });
  expect(exportOf('nfs://[fd00::1]/srv')).toEqual({ server: '[fd00::1]', path: '/srv', options: '' });
});

it('describes targets without credentials', () => {
  expect(describeTarget({ ...S3, type: 's3', virtualHostedStyle: false })).toBe(
    's3://backups@us-east-1/ at https://s3.example.com:9000',
  );
});
