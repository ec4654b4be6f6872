import type { ErrorInfo } from './message.ts'

/**
 * An error that may cross a boundary (HTTP, the log): a name for programs, a message the user can act on, typed data.
 * Any other error is a bug and leaves the server as a plain 500.
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

export function errorInfo(error: unknown): ErrorInfo {
  if (error instanceof NamedError) {
    return {
      name: error.name,
      message: error.message,
      data: Object.keys(error.data).length > 0 ? error.data : undefined,
    }
  }
  if (error instanceof Error) return { name: error.name, message: error.message || error.name }
  return { name: 'Error', message: typeof error === 'string' ? error : JSON.stringify(error) }
}
