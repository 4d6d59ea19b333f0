import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { dialDatagrams } from './datagrams.ts';

it('keeps datagrams apart, both ways, and lets go of its socket', async () => {
  const echo = createSocket('udp4');
  echo.on('message', (message, { address, port }) => echo.send(`<${message}>`, port, address));
  echo.bind(0, '127.0.0.1');
  await once(echo, 'listening');
  const stream = await dialDatagrams({ host: '127.0.0.1', port: echo.address().port });
  for (const text of ['one', 'two', 'three']) stream.write(text);
  const heard: string[] = [];
  for await (const datagram of stream) {
    heard.push(String(datagram));
    if (heard.length === 3) break;
  }
  expect(heard).toEqual(['<one>', '<two>', '<three>']);
  expect(stream.destroyed).toBe(true);
  echo.close();
});
