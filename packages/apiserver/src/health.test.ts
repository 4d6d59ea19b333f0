import { afterEach, describe, expect, it } from 'vitest';
import { serverOfFile } from './testing/calls.ts';

const { get, put, server } = serverOfFile();

let problem: string | undefined;
afterEach(() => {
  problem = undefined;
});
const withCheck = () => server().server.api.health.add('disk', () => problem);

describe('health', () => {
  it.each(['/healthz', '/livez', '/readyz'])('%s is ok', async (path) => {
    expect(await get(path)).toMatchObject({ status: 200, body: 'ok' });
  });

  it('lists its checks when asked to', async () => {
    const { body } = await get('/readyz', { query: { verbose: '' } });
    expect(body).toMatch(/^(\[\+\][a-z]+ ok\n)+readyz check passed\n$/);
    expect(body).toContain('[+]ping ok\n');
    expect(body).toContain('[+]store ok\n');
  });

  it('has a path a check', async () => {
    expect(await get('/livez/ping')).toMatchObject({ status: 200, body: 'ok' });
    expect((await get('/livez/nothing')).status).toBe(404);
  });

  it('fails when a check does, and says which, but stays alive', async () => {
    withCheck();
    problem = 'full';
    const failed = await get('/readyz');
    expect(failed.status).toBe(500);
    expect(failed.body).toContain('[-]disk failed: full\n');
    expect(failed.body).toContain('readyz check failed');
    expect((await get('/readyz/disk')).status).toBe(500);
    expect((await get('/livez')).status).toBe(200);
  });

  it('leaves out what is excluded, and says so when there is no such check', async () => {
    withCheck();
    problem = 'full';
    const { status, body } = await get('/readyz', { query: { exclude: 'disk', verbose: '' } });
    expect(status).toBe(200);
    expect(body).toContain('[+]disk excluded: ok\n');
    problem = undefined;
    const odd = await get('/readyz', { query: { exclude: 'nothing', verbose: '' } });
    expect(odd.body).toContain('warn: some health checks cannot be excluded: no matches for "nothing"\n');
  });

  it('is read only', async () => {
    expect((await put('/healthz', {})).status).toBe(405);
  });
});
