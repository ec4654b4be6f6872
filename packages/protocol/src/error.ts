import type { ErrorInfo } from './message.ts'

/**
 * An error that may cross a border (HTTP, the log): a name that programs switch on, a text that a person can act on,
 * typed data. Anything else thrown is a defect and leaves the server as a plain 500.
 */
export class NamedError extends Error {
  readonly status: number
  readonly data: Record<string, unknown>

  constructor(
    name: string,
    message: string,
    options: { status?: number; data?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = name
    this.status = options.status ?? 400
    this.data = options.data ?? {}
  }
}

/** The name and true text of whatever was thrown. */
export function errorInfo(error: unknown): ErrorInfo {
  if (error instanceof NamedError) {
    return { name: error.name, message: error.message, ...(Object.keys(error.data).length > 0 && { data: error.data }) }
  }
  if (error instanceof Error) return { name: error.name, message: error.message || error.name }
  return { name: 'Error', message: typeof error === 'string' ? error : JSON.stringify(error) }
}
