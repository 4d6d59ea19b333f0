import { expect, it } from 'vitest';
import { parseDashboardConfig, readDashboardConfig } from './config.ts';

const parse = (value: object) => parseDashboardConfig(JSON.stringify(value), '/etc/vireo/dashboard.yaml');

it('an issuer suffices', () => {
  expect(parse({ login: [{ issuer: 'https://login.example.com/realms/staff' }] })).toEqual([
    {
      issuer: 'https://login.example.com/realms/staff',
      name: 'login.example.com',
      scopes: ['openid', 'profile', 'email'],
    },
  ]);
});

it('paths are relative to the file', () => {
  const [provider] = parse({ login: [{ issuer: 'https://a.example', clientSecretFile: 'secret', clientID: 'vireo' }] });
  expect(provider).toMatchObject({ clientSecretFile: '/etc/vireo/secret', clientID: 'vireo' });
});

it.each([
  [{ login: {} }, 'login: must be a list'],
  [{ logins: [] }, 'logins: unknown field'],
  [{ login: ['x'] }, 'login[0]: must be an object with an issuer'],
  [{ login: [{ issuer: 'http://a.example' }] }, 'login[0].issuer: must be an https URL'],
  [{ login: [{ issuer: 'https://a.example', clientSecret: 'x' }] }, 'login[0].clientSecret: unknown field'],
  [{ login: [{ issuer: 'https://a.example', name: 1 }] }, 'login[0].name: must be a text'],
  [{ login: [{ issuer: 'https://a.example', scopes: ['email'] }] }, 'login[0].scopes: must be a list of names'],
  [{ login: [{ issuer: 'https://a.example' }, { issuer: 'https://a.example' }] }, 'login[1].issuer: is listed twice'],
])('%j is refused', (document, problem) => {
  expect(() => parse(document)).toThrow(problem);
});

it('a file that nobody asked for may be missing', async () => {
  expect(await readDashboardConfig({ path: '/nowhere/dashboard.yaml', isRequired: false })).toEqual([]);
  await expect(readDashboardConfig({ path: '/nowhere/dashboard.yaml', isRequired: true })).rejects.toThrow(
    'cannot be read',
  );
});
