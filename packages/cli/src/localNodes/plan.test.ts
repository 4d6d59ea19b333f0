import { expect, it } from 'vitest';
import { overlaps, planNetwork, planNodes } from './plan.ts';

it.each<[string, string, boolean]>([
  ['10.198.7.0/24', '10.198.7.0/24', true],
  ['10.0.0.0/8', '10.198.7.0/24', true],
  ['10.198.7.9', '10.198.7.0/24', true],
  ['10.198.8.0/24', '10.198.7.0/24', false],
  ['192.168.0.0/16', '10.198.7.0/24', false],
  ['0.0.0.0/0', '10.198.7.0/24', true],
  // Not a network of IPv4: how `ip` names the way to everywhere else.
  ['default', '10.198.7.0/24', false],
  ['fd00::/8', '10.198.7.0/24', false],
])('%s and %s overlap: %s', (a, b, expected) => {
  expect([overlaps(a, b), overlaps(b, a)]).toEqual([expected, expected]);
});

it('the network of a home overlaps nothing that the host has a route to', () => {
  const free = planNetwork('/home', []);
  expect(free.subnet).toMatch(/^10\.198\.\d+\.0\/24$/);
  expect(free.bridge.length).toBeLessThanOrEqual(15);
  const other = planNetwork('/home', [free.subnet, 'default']);
  expect(other.subnet).not.toBe(free.subnet);
  expect(() => planNetwork('/home', ['10.0.0.0/8'])).toThrow('every network of 10.198.0.0/16 is in use on this host');
});

it('a home keeps the network that it had', () => {
  expect(planNetwork('/home', ['10.198.3.0/24'], '10.198.3.0/24')).toMatchObject({
    subnet: '10.198.3.0/24',
    gateway: '10.198.3.1',
  });
});

it('the nodes beside the first have homes, names and addresses of their own', () => {
  const network = planNetwork('/home', [], '10.198.3.0/24');
  const [second, third, ...rest] = planNodes('/home', 'a', 3, network);
  expect(rest).toEqual([]);
  expect(second).toMatchObject({ name: 'a-2', home: '/home/nodes/a-2', link: { address: '10.198.3.2' } });
  expect(third).toMatchObject({ name: 'a-3', home: '/home/nodes/a-3', link: { address: '10.198.3.3' } });
  expect(second?.link?.hostEnd.length).toBeLessThanOrEqual(15);
  expect(second?.link?.namespace).not.toBe(third?.link?.namespace);
  expect(planNodes('/home', 'a', 2, undefined)).toEqual([{ name: 'a-2', home: '/home/nodes/a-2' }]);
});
