import { ScanText } from 'lucide-react'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { useApp, useWorkspace } from '../workspace.ts'

/** What the next call will send. A session that nothing was said in has nothing to look at. */
export function ContextButton() {
  const { app } = useWorkspace()
  const isNew = useApp((state) => state.isNew)
  if (isNew) return null
  return (
    <IconButton label={t.context.title} aria-haspopup="dialog" onClick={() => app.setDialog('context')}>
      <ScanText />
    </IconButton>
  )
}
