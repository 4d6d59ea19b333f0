import { expect, it } from 'vitest';
import { CLIENT_ID, dhcp6Request, readReply6, type TestRequest6 } from '../testing/dhcp6.ts';
import { answerDhcp6, type Lease6, serverId } from './answer.ts';
import { OPTION6, type Option6, STATUS, TYPE } from './message.ts';

const SERVER = serverId('02:56:00:00:00:01');
const lease: Lease6 = { address: 'fd00::7', dnsServers: ['fd00::1'], search: ['svc.cluster.local'] };
const OURS: Option6 = [OPTION6.serverId, SERVER];
const OTHER: Option6 = [OPTION6.serverId, serverId('02:00:00:00:00:01')];
const GIVEN = ['fd00::7 86400s'];
const { solicit, advertise, request, confirm, renew, rebind, reply, release, decline, informationRequest } = TYPE;

const answer = (message: TestRequest6) => {
  const found = answerDhcp6(dhcp6Request(message), SERVER, lease);
  return found && readReply6(found);
};

it.each<[string, TestRequest6, { type: number; addresses?: string[]; status?: number[]; isRapid?: boolean }]>([
  ['offers the address', { type: solicit }, { type: advertise, addresses: GIVEN }],
  [
    'gives the address at once to who wants it so',
    { type: solicit, options: [[OPTION6.rapidCommit, Buffer.alloc(0)]] },
    { type: reply, addresses: GIVEN, isRapid: true },
  ],
  ['gives the address', { type: request, options: [OURS] }, { type: reply, addresses: GIVEN }],
  ['renews a lease', { type: renew, addresses: ['fd00::7'], options: [OURS] }, { type: reply, addresses: GIVEN }],
  ['renews a lease of any server', { type: rebind, addresses: ['fd00::7'] }, { type: reply, addresses: GIVEN }],
  [
    'takes back an address that is another’s',
    { type: renew, addresses: ['fd00::8'], options: [OURS] },
    { type: reply, addresses: [...GIVEN, 'fd00::8 0s'] },
  ],
  [
    'gives one address, and no prefixes',
    { type: solicit, associations: 2, options: [[OPTION6.prefixes, Buffer.alloc(12)]] },
    { type: advertise, addresses: GIVEN, status: [STATUS.noAddresses, STATUS.noPrefixes] },
  ],
  ['confirms the address', { type: confirm, addresses: ['fd00::7'] }, { type: reply, status: [STATUS.success] }],
  ['denies others', { type: confirm, addresses: ['fd00::8'] }, { type: reply, status: [STATUS.notOnLink] }],
  ['lets an address go', { type: release, options: [OURS] }, { type: reply, status: [STATUS.success] }],
  ['hears that it is taken', { type: decline, options: [OURS] }, { type: reply, status: [STATUS.success] }],
  ['tells the rest', { type: informationRequest, associations: 0 }, { type: reply }],
])('the server %s', (_, message, { type, addresses = [], status = [], isRapid = false }) => {
  expect(answer(message)).toMatchObject({ type, addresses, status, isRapid, client: CLIENT_ID });
});

it.each<[string, TestRequest6]>([
  ['a request to another server', { type: request, options: [OTHER] }],
  ['a request to no server', { type: request }],
  ['a search for servers that names one', { type: solicit, options: [OURS] }],
  ['what servers say', { type: advertise, options: [OURS] }],
  ['a kind that nobody knows', { type: 200 }],
])('the server does not answer %s', (_, message) => {
  expect(answer(message)).toBeUndefined();
});

it('a guest hears of DNS servers and search domains', () => {
  expect(answer({ type: request, options: [OURS] })).toMatchObject({
    dnsServer: 'fd00::1',
    search: '\x03svc\x07cluster\x05local\0',
  });
});

it('a message that is cut off gets no reply', () => {
  const whole = dhcp6Request({ type: solicit });
  for (let length = 0; length < whole.length; length++)
    expect(() => answerDhcp6(whole.subarray(0, length), SERVER, lease)).not.toThrow();
  expect(answerDhcp6(whole.subarray(0, -1), SERVER, lease)).toBeUndefined();
});
