import { expect, it } from 'vitest';
import { plainFlags } from './goFlags.ts';
import { buildProgram } from './program.ts';

it.each([
  { typed: 'stop web --force=true --grace-period=0', meant: 'stop web --force --grace-period=0' },
  { typed: 'start web --paused=false --dry-run', meant: 'start web --dry-run' },
  { typed: 'vnc screenshot web --move-cursor=true', meant: 'vnc screenshot web --move-cursor' },
  { typed: 'create vm --infer-instancetype=false', meant: 'create vm --no-infer-instancetype' },
  { typed: 'start web -n=prod', meant: 'start web -n prod' },
  { typed: 'start web --context=true', meant: 'start web --context=true' },
  { typed: 'start --paused=maybe web', meant: 'start --paused=maybe web' },
  { typed: 'start -- --paused=true', meant: 'start -- --paused=true' },
])('$typed means $meant', ({ typed, meant }) => {
  expect(plainFlags(typed.split(' '), buildProgram())).toEqual(meant.split(' '));
});
