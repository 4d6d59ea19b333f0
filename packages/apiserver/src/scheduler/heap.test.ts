import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Heap } from './heap.ts';

it('hands out what was added, in order, whatever the order of adding and taking', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer(), { nil: undefined })), (steps) => {
      const heap = new Heap<number>((a, b) => a < b);
      const expected: number[] = [];
      for (const step of steps) {
        if (step === undefined) {
          expected.sort((a, b) => a - b);
          expect(heap.take()).toBe(expected.shift());
        } else {
          heap.add(step);
          expected.push(step);
        }
      }
      const rest = Array.from(expected, () => heap.take());
      expect(rest).toEqual(expected.sort((a, b) => a - b));
      expect(heap.take()).toBeUndefined();
    }),
  );
});
