import { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import { expect } from 'vitest';
import { at, type ContractCase, type ContractContext } from './case.ts';

const log =
  (status: NonNullable<UpgradeLog['status']>) =>
  async (name: string, { client }: ContractContext) => {
    await client.of(UpgradeLog).create({ metadata: { name, ...at }, spec: { upgradeName: 'none' } });
    await client.of(UpgradeLog).patchStatus(name, { status }, { ...at, type: 'merge' });
  };

const started = log({ conditions: [{ type: 'Started', status: 'True' }] });
const of = (action: string): string => `upgradelogs/${action}`;

/** Actions on upgrade logs. That a download has the archive is for a test that reads it whole. */
export const UPGRADE_LOG_CASES: readonly ContractCase[] = [
  {
    action: of('generate'),
    is: 'success',
    given: started,
    expect: { status: 200 },
    after: async (name, { client }) => {
      const { status } = await client.of(UpgradeLog).get(name, at);
      const [archive, found] = Object.entries(status?.archives ?? {})[0] ?? [];
      expect(archive).toMatch(new RegExp(`^${name}-archive-\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\dZ$`));
      expect(found?.ready).toBe(true);
      expect(found?.size).toBeGreaterThan(0);
    },
  },
  {
    action: of('generate'),
    is: 'wrong state',
    given: log({}),
    expect: { status: 409, message: 'log collection has not started yet' },
  },
  {
    action: of('download'),
    is: 'wrong state',
    given: started,
    expect: { status: 409, message: 'it has no archive yet; call generate first' },
  },
  {
    action: of('download'),
    is: 'wrong state',
    when: 'its archive is gone',
    given: log({ archives: { lost: { ready: true, size: 1, generatedTime: '2026-01-01T00:00:00Z' } } }),
    expect: { status: 404, message: '"lost" not found' },
  },
];
