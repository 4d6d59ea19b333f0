/** A file of the administrator's that cannot be used, and why: nothing is wrong with the server itself. */
export class ConfigurationInvalid extends Error {
  override readonly name = 'ConfigurationInvalid';
}
