import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log, Metrics } from '@vireo/kube';
import { ConfigurationInvalid } from '../configurationInvalid.ts';
import { Auditor } from './auditor.ts';
import { AuditLog } from './log.ts';
import { METADATA_OF_ALL, parsePolicy } from './policy.ts';

/** What is logged, and where; each is missing where nobody said it. */
export interface AuditOptions {
  readonly policyFile?: string | undefined;
  /** `-`: standard output. */
  readonly logPath?: string | undefined;
  readonly maxSizeMb?: number | undefined;
  readonly maxBackups?: number | undefined;
  readonly maxAgeDays?: number | undefined;
}

/** An audit log that is being written. */
export interface Audit {
  readonly auditor: Auditor;
  observe(metrics: Metrics): void;
  /** Resolves when everything is on its way to the disk. */
  close(): Promise<void>;
}

const DEFAULTS = { maxSizeMb: 100, maxBackups: 10, maxAgeDays: 30 };

/**
 * Opens the audit log of a home. A policy alone logs to `audit.log` of the home, a path alone logs the metadata of all
 * requests; without both, nothing is logged. Throws ConfigurationInvalid.
 */
export async function openAudit(
  { policyFile, logPath, maxSizeMb, maxBackups, maxAgeDays }: AuditOptions,
  home: string,
  log: Pick<Log, 'error'>,
): Promise<Audit | undefined> {
  if (policyFile === undefined && logPath === undefined) return undefined;
  const policy = policyFile === undefined ? METADATA_OF_ALL : parsePolicy(await read(policyFile), policyFile);
  const path = logPath ?? join(home, 'audit.log');
  const auditLog = new AuditLog(
    {
      path,
      maxSizeMb: maxSizeMb || DEFAULTS.maxSizeMb,
      maxBackups: maxBackups ?? DEFAULTS.maxBackups,
      maxAgeDays: maxAgeDays ?? DEFAULTS.maxAgeDays,
    },
    { log },
  );
  await auditLog.prepare().catch((cause: Error) => {
    throw new ConfigurationInvalid(`the audit log ${path} cannot be written: ${cause.message}`, { cause });
  });
  return {
    auditor: new Auditor(policy, (event) => auditLog.write(event)),
    observe: (metrics) => auditLog.observe(metrics),
    close: () => auditLog.close(),
  };
}

const read = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: Error) => {
    throw new ConfigurationInvalid(`the audit policy ${file} cannot be read: ${cause.message}`, { cause });
  });
