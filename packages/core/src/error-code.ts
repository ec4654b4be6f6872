/** `data.errorCode` of what was thrown. By its shape: a tool of one's own may bring another copy of `NamedError`. */
export function readErrorCode(error: unknown): string | undefined {
  const code = (error as { data?: { errorCode?: unknown } | null } | null | undefined)?.data?.errorCode
  return typeof code === 'string' ? code : undefined
}
