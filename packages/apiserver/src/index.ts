export type { AdmissionPlugin, AdmissionRequest } from './admission/admission.ts';
export { type ApiServer, createApiServer, LOOPBACK } from './apiServer.ts';
export { inProcessTransport } from './inProcess.ts';
export type { ApiHandler, ApiRequest, ApiResponse, UserInfo } from './request.ts';
export { type RunningServer, type ServerOptions, type Step, StoreLocked, startServer } from './server.ts';
export { type ServiceHandler, Services } from './services/services.ts';
