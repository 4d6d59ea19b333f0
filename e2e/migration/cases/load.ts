import { connect } from 'node:tls';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { MigrationPolicy } from '@vireo/api/kinds/migrations/migrationPolicy.ts';
import { testPki } from '@vireo/kube/testing/pki.ts';
import { describe, expect, it } from 'vitest';
import { FIRST, type GuestOptions, type Guests, linux, prefer, small, stress } from '../guests.ts';
import { conditionOf } from '../specs.ts';

/** Starts a Linux guest; resolves when its agent is connected. */
export const startLinux = async ({ specs }: Guests, name: string, options: GuestOptions = {}): Promise<Vmi> => {
  const vmi = await specs().run(linux(name, options));
  await untilAgent({ specs }, name);
  return vmi;
};

export const untilAgent = ({ specs }: Pick<Guests, 'specs'>, name: string): Promise<void> =>
  specs().until(async () => expect(conditionOf(await specs().vmi(name), 'AgentConnected')?.status).toBe('True'));

/** KubeVirt's tests/migration/migration.go and eviction_strategy.go: Linux guests that have an agent and work. */
export function loadSpecs(guests: Guests): void {
  const { specs, inGuest } = guests;

  describe('live migration of a Linux guest', () => {
    it('[test_id:3237] completes with auto converge enabled', async () => {
      await specs().configure({ migrations: { allowAutoConverge: true } });
      const vmi = await startLinux(guests, 'busy');
      await inGuest(vmi, stress(80));
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
    });

    it('[test_id:4114] sets an updated time', async () => {
      const vmi = await startLinux(guests, 'late');
      await inGuest(vmi, 'date -s "2020-02-02 23:26:00"');
      expect(Number(await inGuest(vmi, 'date +%s'))).toBeLessThan(Date.parse('2020-03-01') / 1000);
      await specs().confirmMigrated(vmi, await specs().migrated(vmi));
      await untilAgent(guests, 'late');
      await specs().until(async () => {
        const difference = Number(await inGuest(vmi, 'date +%s')) - Date.now() / 1000;
        expect(Math.abs(difference)).toBeLessThan(60);
      });
    });

    it('[test_id:6968] takes longer with a bandwidth limitation', async () => {
      const draft = await specs().policyFor(linux('limited'), { bandwidthPerMigration: '10Mi' });
      const vmi = await specs().run(draft);
      await untilAgent(guests, 'limited');
      const secondsWith = async (bandwidthPerMigration: string): Promise<number> => {
        const body = { spec: { bandwidthPerMigration } };
        await specs().client.of(MigrationPolicy).patch(`policy-${specs().namespace}`, body, { type: 'merge' });
        let ms = 0;
        for (let moved = 0; moved < 3; moved += 1) {
          const { status } = await specs().confirmMigrated(vmi, await specs().migrated(vmi));
          const { startTimestamp = '', endTimestamp = '' } = status?.migrationState ?? {};
          ms += Date.parse(endTimestamp) - Date.parse(startTimestamp);
        }
        return ms / 1000;
      };
      const low = await secondsWith('10Mi');
      const high = await secondsWith('128Mi');
      expect(high * 2).toBeLessThan(low);
    });

    it('[test_id:2221] happens under load when its node is drained', async () => {
      const vmi = await startLinux(guests, 'busy', { spec: { evictionStrategy: 'LiveMigrate' } });
      await inGuest(vmi, stress(80));
      const { nodeName = '' } = vmi.status ?? {};
      const drained = await specs().drain(nodeName);
      await specs().until(async () => {
        const { status } = await specs().vmi('busy');
        expect(status?.nodeName).not.toBe(nodeName);
        expect(status?.migrationState?.sourceNode).toBe(nodeName);
        expect(status?.evacuationNodeName ?? '').toBe('');
        expect(status?.phase).toBe('Running');
      });
      await drained();
    });

    it('[test_id:2227] is aborted without progress', async () => {
      const migrations = { progressTimeout: 5, completionTimeoutPerGiB: 5, bandwidthPerMigration: '1' };
      await specs().configure({ migrations });
      const vmi = await startLinux(guests, 'busy');
      await inGuest(vmi, stress(80));
      const stayed = await specs().confirmFailed(vmi, await specs().notMigrated(vmi));
      expect(stayed.status?.migrationState?.failureReason).toContain('has been aborted');
    });

    it('[test_id:8482] has metrics while it runs', async () => {
      const draft = await specs().policyFor(linux('measured', { spec: { affinity: prefer(FIRST) } }), {
        bandwidthPerMigration: '1Ki',
      });
      const vmi = await specs().run(draft);
      await untilAgent(guests, 'measured');
      const migration = await specs().migrate(vmi);
      await specs().untilPhase(migration, 'Running');
      await specs().until(async () => {
        const { stdout } = await specs().kubectl.run('get --raw /metrics');
        const metric = (name: string): number => {
          const line = stdout.split('\n').find((each) => each.startsWith(`kubevirt_vmi_migration_${name}{`));
          return Number(line?.split(' ').at(-1));
        };
        expect(metric('data_remaining_bytes')).toBeGreaterThan(0);
        expect(metric('data_processed_bytes')).toBeGreaterThan(0);
        expect(metric('memory_transfer_rate_bytes')).toBeGreaterThan(0);
        // QEMU knows it when it has copied everything once.
        expect(metric('dirty_memory_rate_bytes')).toBeGreaterThanOrEqual(0);
      });
    });
  });

  describe('migration security', () => {
    it('[test_id:2303] migrations are secured with TLS', async () => {
      const draft = await specs().policyFor(small('secret', { memory: '256Mi' }), { bandwidthPerMigration: '1Ki' });
      const vmi = await specs().run(draft);
      await specs().migrate(vmi);
      const { host, ports } = await specs().until(async () => {
        const { targetNodeAddress, targetDirectMigrationNodePorts = {} } =
          (await specs().vmi('secret')).status?.migrationState ?? {};
        expect(targetNodeAddress).toBeTruthy();
        return { host: targetNodeAddress ?? '', ports: Object.keys(targetDirectMigrationNodePorts).map(Number) };
      });
      expect(ports.length).toBeGreaterThan(0);
      for (const port of ports) expect(await connectWith(host, port)).toMatch(/alert|ECONNRESET|closed/);
    });
  });
}

/** What becomes of a client that has a certificate of its own making. */
async function connectWith(host: string, port: number): Promise<string> {
  const { certificate: cert, key } = testPki().client;
  return new Promise((resolve) => {
    const socket = connect({ host, port, cert, key, rejectUnauthorized: false });
    socket.on('data', () => resolve('it was let in'));
    socket.on('error', ({ message }) => resolve(message));
    socket.on('close', () => resolve('closed'));
  });
}
