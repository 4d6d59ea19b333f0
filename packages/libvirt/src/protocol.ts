import type { Codec } from './codec.ts';

/** Programs of the protocol: libvirt itself, calls that only QEMU has, and the pings of both sides. */
export const programs = { remote: 0x2000_8086, qemu: 0x2000_8087, keepAlive: 0x6b65_6570 } as const;

/** All three programs have had this version since they exist. */
export const programVersion = 1;

export const keepAliveProcedures = { ping: 1, pong: 2 } as const;

/** Features that a client may ask for by `connectSupportsFeature`; asking for keep-alive makes the daemon ping. */
export const features = { programKeepAlive: 10 } as const;

/** Numbers of libvirt's procedures. They are part of its ABI and never change. */
const remoteProcedures = {
  connectOpen: 1,
  connectClose: 2,
  connectGetType: 3,
  connectGetVersion: 4,
  nodeGetInfo: 6,
  connectGetCapabilities: 7,
  domainCreateXml: 10,
  domainGetXmlDesc: 14,
  domainGetInfo: 16,
  domainLookupById: 22,
  domainLookupByName: 23,
  domainLookupByUuid: 24,
  domainReboot: 27,
  domainResume: 28,
  domainSetAutostart: 29,
  domainSuspend: 34,
  connectGetHostname: 59,
  connectSupportsFeature: 60,
  domainBlockStats: 64,
  domainInterfaceStats: 65,
  authList: 66,
  authPolkit: 70,
  nodeGetFreeMemory: 102,
  connectGetUri: 110,
  connectDomainXmlToNative: 136,
  domainIsActive: 150,
  domainIsPersistent: 151,
  connectGetLibVersion: 157,
  connectCompareCpu: 158,
  domainMemoryStats: 159,
  domainAttachDeviceFlags: 160,
  domainDetachDeviceFlags: 161,
  domainAbortJob: 164,
  domainMigrateSetMaxDowntime: 166,
  domainUpdateDeviceFlags: 174,
  domainManagedSave: 182,
  domainHasManagedSaveImage: 183,
  domainManagedSaveRemove: 184,
  domainSnapshotCreateXml: 185,
  domainSnapshotGetXmlDesc: 186,
  domainSnapshotLookupByName: 189,
  domainRevertToSnapshot: 192,
  domainSnapshotDelete: 193,
  domainGetBlockInfo: 194,
  domainCreateWithFlags: 196,
  domainSetVcpusFlags: 199,
  domainGetVcpusFlags: 200,
  domainOpenConsole: 201,
  connectGetSysinfo: 203,
  domainSetMemoryFlags: 204,
  domainMigrateSetMaxSpeed: 207,
  domainInjectNmi: 210,
  domainScreenshot: 211,
  domainGetState: 212,
  domainSendKey: 226,
  nodeGetMemoryStats: 228,
  domainGetControlInfo: 229,
  domainUndefineFlags: 231,
  domainSaveFlags: 232,
  domainRestoreFlags: 233,
  domainDestroyFlags: 234,
  domainSaveImageGetXmlDesc: 235,
  domainBlockJobAbort: 237,
  domainGetBlockJobInfo: 238,
  domainReset: 245,
  domainBlockResize: 251,
  domainSetBlockIoTune: 252,
  domainGetBlockIoTune: 253,
  domainShutdownFlags: 258,
  domainPmSuspendForDuration: 261,
  domainGetDiskErrors: 263,
  domainSetMetadata: 264,
  domainGetMetadata: 265,
  domainPmWakeup: 267,
  connectListAllDomains: 273,
  domainListAllSnapshots: 274,
  domainGetHostname: 277,
  domainBlockCommit: 290,
  domainFsTrim: 294,
  domainOpenChannel: 296,
  domainGetJobStats: 298,
  domainMigrateBegin3Params: 302,
  domainMigratePrepare3Params: 303,
  domainMigratePerform3Params: 305,
  domainMigrateFinish3Params: 306,
  domainMigrateConfirm3Params: 307,
  domainSetMemoryStatsPeriod: 308,
  connectGetCpuModelNames: 312,
  connectDomainEventCallbackRegisterAny: 316,
  connectDomainEventCallbackDeregisterAny: 317,
  domainCoreDumpWithFormat: 334,
  domainFsFreeze: 335,
  domainFsThaw: 336,
  domainGetTime: 337,
  domainSetTime: 338,
  connectGetDomainCapabilities: 342,
  connectGetAllDomainStats: 344,
  domainBlockCopy: 345,
  domainGetFsInfo: 349,
  domainDefineXmlFlags: 350,
  domainInterfaceAddresses: 353,
  domainSetUserPassword: 357,
  domainRename: 358,
  domainMigrateStartPostCopy: 364,
  domainGetGuestVcpus: 371,
  domainDetachDeviceAlias: 392,
  connectBaselineHypervisorCpu: 394,
  domainGetLaunchSecurityInfo: 396,
  domainGetGuestInfo: 418,
  domainAgentSetResponseTimeout: 420,
  domainBackupBegin: 421,
  domainAuthorizedSshKeysGet: 424,
  domainAuthorizedSshKeysSet: 425,
  domainGetMessages: 426,
  domainStartDirtyRateCalc: 427,
} as const;

/** Procedures of the program for QEMU alone. */
const qemuProcedures = { qemuMonitorCommand: 1, qemuAgentCommand: 3 } as const;

export type ProcedureName = keyof typeof remoteProcedures | keyof typeof qemuProcedures;

/** A call as data: its number and what goes there and comes back. */
export interface Procedure<Args, Result> {
  readonly name: ProcedureName;
  readonly program: number;
  readonly number: number;
  readonly args: Codec<Args>;
  readonly result: Codec<Result>;
}

/** Describes a call: `procedure('domainGetState', struct({ domain, flags: uint }), struct({ state: int, reason: int }))`. */
export function procedure<Args, Result>(
  name: ProcedureName,
  args: Codec<Args>,
  result: Codec<Result>,
): Procedure<Args, Result> {
  if (name in qemuProcedures) {
    return { name, program: programs.qemu, number: qemuProcedures[name as keyof typeof qemuProcedures], args, result };
  }
  return {
    name,
    program: programs.remote,
    number: remoteProcedures[name as keyof typeof remoteProcedures],
    args,
    result,
  };
}
