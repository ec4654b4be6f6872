import { type ReactNode, useCallback } from 'react'
import { ServerDataStatus, useServerData } from '../settings/section-parts.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { TextEditor } from './text-editor.tsx'

interface StoredFileEditorProps {
  kind: 'agent' | 'skill'
  path: string
  onSaved: () => void
  /** Buttons beside *Save*. */
  children: ReactNode
}

/** Edits the Markdown file of an agent or a skill, even if it is not valid. */
export function StoredFileEditor({ kind, path, onSaved, children }: StoredFileEditorProps) {
  const { api } = useWorkspace()
  const [load, save] = kind === 'agent' ? [api.agentFile, api.changeAgentFile] : [api.skillText, api.changeSkill]
  const asked = useServerData(useCallback(() => load(path), [load, path]))
  if (asked.value === null) return <ServerDataStatus asked={asked} />
  return (
    <div className="text-editor-code">
      <TextEditor
        label={path}
        stored={asked.value}
        isSent={false}
        onReload={asked.again}
        onSave={async (text, version) => {
          const saved = await save({ path, text, version })
          asked.show(saved)
          onSaved()
          return saved
        }}
        buttons={() => children}
      />
    </div>
  )
}
