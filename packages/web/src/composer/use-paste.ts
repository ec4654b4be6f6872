import type { ClipboardEvent } from 'react'
import { useChatActions } from '../chat/hooks/use-chat-actions.ts'
import { t } from '../texts/t.ts'
import { formatSize } from '../ui/format.ts'
import { notice } from '../ui/notices.tsx'

/** A text that is longer would bury what is written around it. */
const longestText = 8000

/** Files and long texts that are pasted become attachments; anything else goes into the field. */
export function usePaste() {
  const { attach, attachText } = useChatActions()
  return (event: ClipboardEvent<HTMLTextAreaElement>): void => {
    const { files } = event.clipboardData
    const text = event.clipboardData.getData('text/plain')
    // Office programs put a picture of the text beside the text: the text is meant.
    if (files.length > 0 && text === '') {
      event.preventDefault()
      void attach(files)
    } else if (text.length > longestText) {
      event.preventDefault()
      void attachText(text)
      notice(t.composer.pasted(formatSize(new TextEncoder().encode(text).length)))
    }
  }
}
