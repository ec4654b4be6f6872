import { type ModelDefinition, NamedError } from '@troupe/protocol'
import type { Models } from '../models/models.ts'
import type { MediaUsage } from '../usage/media-cost.ts'
import type { MediaTicket, Spending } from '../usage/spending.ts'

export interface VoiceServices {
  models: Pick<Models, 'resolveVoiceModel' | 'redact'>
  spending: Pick<Spending, 'mediaGuard'>
}

interface VoiceCall {
  id: string
  definition: ModelDefinition
  local: boolean
  /** The folder that the call counts for. */
  folder: string
  expected: MediaUsage
  signal: AbortSignal
  minutes: number
}

/**
 * Calls a model for speech and counts it for the budget. Throws `BudgetExceeded`, or `VoiceFailed` with the reason,
 * without secrets.
 */
export async function callVoiceModel<T>(
  { models, spending }: VoiceServices,
  { id, definition, local, folder, expected, signal: given, minutes }: VoiceCall,
  work: (signal: AbortSignal) => Promise<{ value: T; used: MediaUsage }>,
): Promise<T> {
  const { price, mediaPrice } = definition
  const guard = spending.mediaGuard({ id, price, mediaPrice, local }, { path: folder })
  const signal = AbortSignal.any([given, AbortSignal.timeout(minutes * 60_000)])
  let ticket: MediaTicket | undefined
  try {
    ticket = await guard.admit(expected, signal)
    const { value, used } = await work(signal)
    ticket.close(used)
    return value
  } catch (error) {
    // The provider bills work that was stopped, but not work that it refused.
    ticket?.close(signal.aborted ? expected : undefined)
    if (error instanceof NamedError && error.name === 'BudgetExceeded') throw error
    throw new NamedError('VoiceFailed', `${id} failed: ${models.redact(reasonOf(error, minutes))}`, {
      status: 502,
      cause: error,
    })
  }
}

function reasonOf(error: unknown, minutes: number): string {
  const { lastError } = error as { lastError?: unknown }
  const cause = lastError ?? error
  if (!(cause instanceof Error)) return String(cause)
  return cause.name === 'TimeoutError' ? `it took longer than ${minutes} minutes.` : cause.message
}
