import { expect, it } from 'vitest';
import { run } from './run.ts';
import { whyNoNamespaces } from './testing/namespaces.ts';

const why = await whyNoNamespaces();
const SCENARIO = new URL('./testing/guestProcess.ts', import.meta.url).pathname;

it.skipIf(why)(
  'processes of guests reach neither the addresses of their host, nor link-local ones, nor where clouds serve credentials',
  { meta: { whySkipped: why } },
  async () => {
    const four = (text: string): string[] => Array<string>(4).fill(text);
    expect(JSON.parse(await run('unshare', ['--net', process.execPath, SCENARIO]))).toEqual({
      before: four('answer'),
      closed: four('ECONNREFUSED'),
      others: four('answer'),
      credentials: [four('ECONNREFUSED'), four('timeout')],
      // Only those that the host asks itself.
      resolvers: ['answer', 'answer', 'ECONNREFUSED'],
      // What connects to a guest gets an answer: this is how ports are forwarded.
      forwarded: 'answer',
      tables: '',
    });
  },
);
