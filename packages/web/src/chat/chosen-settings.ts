import type { ChatBody } from '../api/api.ts'
import type { SessionServices } from './session-services.ts'

/** What the person has chosen for the next answer; what they have not, the server knows. */
export function chosenSettings(
  services: Pick<SessionServices, 'model' | 'mode' | 'agent' | 'params'>,
): Pick<ChatBody, 'model' | 'mode' | 'agent' | 'params'> {
  const model = services.model()
  const mode = services.mode()
  const agent = services.agent()
  const params = services.params?.()
  return {
    ...(model !== undefined && { model }),
    ...(mode !== undefined && { mode }),
    ...(agent !== undefined && { agent }),
    ...(params !== undefined && { params }),
  }
}
