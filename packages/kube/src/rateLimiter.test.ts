import { describe, expect, it } from 'vitest';
import { controllerRateLimiter, exponentialDelayMs, TokenBucket } from './rateLimiter.ts';
import { FakeClock } from './testing/fakeClock.ts';

describe('exponentialDelayMs', () => {
  it.each([
    [0, 5],
    [1, 10],
    [10, 5120],
    [17, 655_360],
    [18, 1_000_000],
    [5000, 1_000_000],
  ])('after %i failures is %i ms', (failures, delay) => {
    expect(exponentialDelayMs(failures)).toBe(delay);
  });
});

describe('TokenBucket', () => {
  it('gives its burst at once, then one token each interval', () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ ratePerSecond: 10, burst: 2, clock });
    expect([bucket.takeAfterMs(), bucket.takeAfterMs(), bucket.takeAfterMs(), bucket.takeAfterMs()]).toEqual([
      0, 0, 100, 200,
    ]);
    clock.advance(300);
    expect([bucket.takeAfterMs(), bucket.takeAfterMs()]).toEqual([0, 100]);
  });

  it('never holds more than its burst', () => {
    const clock = new FakeClock();
    const bucket = new TokenBucket({ ratePerSecond: 10, burst: 2, clock });
    clock.advance(3_600_000);
    expect([bucket.takeAfterMs(), bucket.takeAfterMs(), bucket.takeAfterMs()]).toEqual([0, 0, 100]);
  });
});

describe('controllerRateLimiter', () => {
  it('holds a crowd of failing keys to ten a second after the first hundred', () => {
    const limiter = controllerRateLimiter(new FakeClock());
    const delays = Array.from({ length: 120 }, (_, index) => limiter.nextDelayMs(`key-${index}`));
    expect(delays.slice(0, 100).every((delay) => delay === 5)).toBe(true);
    expect(delays[109]).toBeCloseTo(1000);
    expect(delays[119]).toBeCloseTo(2000);
  });
});
