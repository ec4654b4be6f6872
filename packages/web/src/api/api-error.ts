import type { ErrorInfo } from '@troupe/core/protocol'
import { translateServerText } from '../texts/said.ts'

/** What the server refused, in its own words; or that it could not be reached, as `Unreachable` with status 0. */
export class ApiError extends Error {
  readonly status: number
  readonly data: Record<string, unknown>

  constructor(status: number, info: ErrorInfo) {
    super(info.message)
    this.name = info.name
    this.status = status
    this.data = info.data ?? {}
  }
}

export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0
}

/** The name and text of whatever was thrown, for a card. */
export function toErrorInfo(error: unknown): ErrorInfo {
  if (error instanceof ApiError)
    return { name: error.name, message: translateServerText(error.message, 'text'), data: error.data }
  if (error instanceof Error) return { name: error.name, message: error.message }
  return { name: 'Error', message: String(error) }
}
