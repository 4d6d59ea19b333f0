export * from './consoleLog.ts';
export * from './log.ts';
