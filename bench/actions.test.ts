import { expect, it } from 'vitest';
import { actions } from './actions/index.ts';

it('calls an action by every path', async () => {
  const results = await actions({ rounds: 1, calls: 2 }, () => {});
  expect(results.map(({ metric }) => metric)).toEqual([
    'added by aggregation',
    'call through aggregation, vs its handler',
    'call through the Steve API, vs the subresource',
    'call over HTTPS, vs a GET of the VM',
    'call through the Steve API over HTTPS, vs the subresource',
    'call of a remote extension, vs one in process',
    'Steve API of a remote extension, vs one in process',
    'creation asked of a remote extension, vs one in process',
  ]);
  for (const { value } of results.slice(1)) expect(value).toBeGreaterThan(0);
}, 180_000);
