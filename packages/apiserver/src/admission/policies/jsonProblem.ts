/**
 * Why a value cannot be part of an object: it takes more than so many bytes, roughly, or has numbers that JSON cannot
 * express. The same part may occur many times in a value, so what is beyond the limit is not looked at.
 */
export function jsonProblem(json: unknown, maxBytes: number): string | undefined {
  let left = maxBytes;
  const stack: unknown[] = [json];
  while (stack.length > 0 && left >= 0) {
    const value = stack.pop();
    if (typeof value === 'number' && !Number.isFinite(value)) return `${value} is not a number of JSON`;
    left -= typeof value === 'string' ? value.length + 3 : 2;
    if (Array.isArray(value)) {
      left -= value.length;
      if (left >= 0) for (const item of value) stack.push(item);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        left -= key.length + 3;
        stack.push(item);
      }
    }
  }
  return left < 0 ? `the result is larger than ${maxBytes} bytes` : undefined;
}
