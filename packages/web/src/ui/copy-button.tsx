import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { copyText } from './copy-text.ts'
import { IconButton } from './icon-button.tsx'

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  useEffect(() => {
    if (state === 'ready') return
    const timer = setTimeout(() => setState('ready'), 1600)
    return () => clearTimeout(timer)
  }, [state])
  const shown = { ready: label, copied: 'Copied', failed: 'Copying failed' }[state]
  return (
    <IconButton
      label={shown}
      onClick={() => void copyText(text).then((copied) => setState(copied ? 'copied' : 'failed'))}
    >
      {state === 'copied' ? <Check /> : <Copy />}
    </IconButton>
  )
}
