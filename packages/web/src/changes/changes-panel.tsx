import { Columns2, RotateCw, Rows2 } from 'lucide-react'
import { useState } from 'react'
import { textIn } from '../api/read-fields.ts'
import { useSessionStore } from '../chat/session/session-context.ts'
import { useDiffLayout } from '../displays/parts/use-diff.ts'
import type { PanelProps } from '../state/panels-state.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { Segments } from '../ui/segments.tsx'
import './changes-panel.css'
import { ChatView, TurnView } from './chat-view.tsx'
import { GitView } from './git-view.tsx'

type View = 'chat' | 'git' | 'turn'

/** Changes of this chat, of git and of each turn. `view` in the panel's data selects one. */
export function ChangesPanel({ panel }: PanelProps) {
  const { panels } = useSessionStore()
  const given = textIn(panel.data['view'])
  const view: View = given === 'git' || given === 'turn' ? given : 'chat'
  const [refreshed, setRefreshed] = useState(0)
  const [layout, setLayout] = useDiffLayout()
  const other = layout === 'split' ? 'unified' : 'split'
  return (
    <div className="changes">
      <div className="side-panel-head">
        <Segments
          label={t.changes.views}
          value={view}
          options={(['chat', 'git', 'turn'] as const).map((value) => ({ value, label: t.changes.view[value] }))}
          onChange={(chosen) => panels.change(panel.id, { data: { ...panel.data, view: chosen } })}
        />
        <span className="changes-tools">
          <IconButton label={t.changes.layout[other]} onClick={() => setLayout(other)}>
            {layout === 'split' ? <Rows2 /> : <Columns2 />}
          </IconButton>
          <IconButton label={t.changes.refresh} onClick={() => setRefreshed(refreshed + 1)}>
            <RotateCw />
          </IconButton>
        </span>
      </div>
      <div className="side-panel-body" tabIndex={-1}>
        {view === 'chat' && <ChatView refreshed={refreshed} />}
        {view === 'git' && <GitView refreshed={refreshed} />}
        {view === 'turn' && <TurnView refreshed={refreshed} />}
      </div>
    </div>
  )
}
