/** A plug-in did not do what its contract says: it threw, hung, or returned what it must not. Names plug-in and function. */
export class PluginHookError extends Error {
  override readonly name = 'PluginHookError';
}
