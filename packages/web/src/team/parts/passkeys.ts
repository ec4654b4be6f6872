/** True if this browser can use passkeys here, with options in JSON. */
export function hasPasskeys(): boolean {
  return (
    isNamedHost(window.location.hostname) &&
    typeof PublicKeyCredential === 'function' &&
    'parseRequestOptionsFromJSON' in PublicKeyCredential
  )
}

/** Passkeys belong to a name. Browsers refuse them for IP addresses. */
export function isNamedHost(hostname: string): boolean {
  return !/^(\d+(\.\d+){3}|\[.*\])$/.test(hostname)
}

/** Lets the person choose a passkey. Throws if they cancel. */
export async function askForPasskey(options: Record<string, unknown>): Promise<Record<string, unknown>> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  return toJson(await navigator.credentials.get({ publicKey }))
}

/** Throws if the person cancels. */
export async function createPasskey(options: Record<string, unknown>): Promise<Record<string, unknown>> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  )
  return toJson(await navigator.credentials.create({ publicKey }))
}

function toJson(credential: Credential | null): Record<string, unknown> {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('no passkey was chosen')
  return { ...credential.toJSON() }
}
