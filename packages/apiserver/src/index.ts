export type { AdmissionPlugin, AdmissionRequest } from './admission/admission.ts';
export { type ApiServer, createApiServer, LOOPBACK } from './apiServer.ts';
export { inProcessTransport } from './inProcess.ts';
export type { NetworkRanges } from './networkRanges.ts';
export { type RunningServer, type ServerOptions, type Step, StoreLocked, startServer } from './server.ts';
export { Services } from './services/services.ts';
