/**
 * What was given for one server must not be sent to another: takes out of settings whose address has become another
 * one those of `names` that the change does not bring anew. Says which.
 */
export function dropSecrets(settings: Record<string, unknown>, change: object, names: readonly string[]): string[] {
  const dropped = names.filter((name) => settings[name] !== undefined && !Object.hasOwn(change, name))
  for (const name of dropped) delete settings[name]
  return dropped
}
