import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { t } from '../texts/t.ts'
import { copyText } from './copy-text.ts'
import { IconButton } from './icon-button.tsx'

export function CopyButton({ text, label = t.ui.copy }: { text: string; label?: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  useEffect(() => {
    if (state === 'ready') return
    const timer = setTimeout(() => setState('ready'), 1600)
    return () => clearTimeout(timer)
  }, [state])
  const shown = { ready: label, copied: t.ui.copied, failed: t.ui.copyFailed }[state]
  return (
    <IconButton
      label={shown}
      onClick={() => void copyText(text).then((copied) => setState(copied ? 'copied' : 'failed'))}
    >
      {state === 'copied' ? <Check /> : <Copy />}
    </IconButton>
  )
}
