import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadPage, type Page } from './page.ts';

let directory: string;
let page: Page;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'vireo-page-'));
  mkdirSync(join(directory, 'assets'));
  writeFileSync(join(directory, 'index.html'), '<title>Vireo</title>');
  writeFileSync(join(directory, 'assets/index-ab12.js'), 'main()');
  writeFileSync(join(directory, 'assets/index-ab12.css'), 'body {}');
  writeFileSync(join(directory, 'theme.js'), 'theme()');
  writeFileSync(join(directory, 'secret.pem'), 'never');
  page = await loadPage(directory);
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('the built page', () => {
  it.each([
    ['/dashboard/', 200, 'text/html; charset=utf-8', '<title>Vireo</title>'],
    ['/dashboard/machines/default/web.example', 200, 'text/html; charset=utf-8', '<title>Vireo</title>'],
    ['/dashboard/assets/index-ab12.js', 200, 'text/javascript; charset=utf-8', 'main()'],
    ['/dashboard/assets/index-ab12.css', 200, 'text/css; charset=utf-8', 'body {}'],
    ['/dashboard/theme.js', 200, 'text/javascript; charset=utf-8', 'theme()'],
    ['/dashboard/assets/index-old.js', 404, 'text/plain; charset=utf-8', expect.stringContaining('Reload')],
    [
      '/dashboard/assets/../../../etc/passwd',
      404,
      'text/plain; charset=utf-8',
      expect.stringContaining('no such file'),
    ],
    ['/dashboard/..%2f..%2fetc/passwd', 200, 'text/html; charset=utf-8', '<title>Vireo</title>'],
    ['/dashboard/secret.pem', 200, 'text/html; charset=utf-8', '<title>Vireo</title>'],
  ])('answers %s with %i', (path, status, contentType, body) => {
    const answer = page.answer('GET', path);
    expect([answer.status, answer.headers['content-type'], answer.body.toString()]).toEqual([
      status,
      contentType,
      body,
    ]);
  });

  it('sends the same headers of protection with every answer', () => {
    for (const path of ['/dashboard/', '/dashboard/assets/index-ab12.js', '/dashboard/assets/none.js', '/dashboard']) {
      const { headers } = page.answer('GET', path);
      expect(headers['content-security-policy']).not.toContain('unsafe');
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
  });

  it('is cached for ever where the name changes with the contents, and asked for again elsewhere', () => {
    expect(page.answer('GET', '/dashboard/assets/index-ab12.js').headers['cache-control']).toContain('immutable');
    expect(page.answer('GET', '/dashboard/').headers['cache-control']).toBe('no-cache');
  });

  it('is compressed for those who take that', () => {
    const { headers, body } = page.answer('GET', '/dashboard/', 'br, gzip');
    expect(headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(body).toString()).toBe('<title>Vireo</title>');
  });

  it('is only read', () => {
    expect(page.answer('POST', '/dashboard/')).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect(page.answer('HEAD', '/dashboard/').status).toBe(200);
  });

  it('moves those who forget the slash', () => {
    expect(page.answer('GET', '/dashboard')).toMatchObject({ status: 308, headers: { location: '/dashboard/' } });
  });
});

it('a page that is not built answers 404 and says what to do', async () => {
  const missing = await loadPage(join(directory, 'nowhere'));
  const { status, body } = missing.answer('GET', '/dashboard/');
  expect(status).toBe(404);
  expect(body.toString()).toContain('npm start');
});
